"""`awrdiff collect`: what is fetched, remembered, tried again and refused, held against a stand-in of the driver."""

from __future__ import annotations

import inspect
import json
import os
import ssl
from pathlib import Path
from typing import Any

import oracledb
import pytest
from click.testing import CliRunner

from awrdiff.cli import collecting
from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.http_client import Unreachable
from awrdiff.cli.main import awrdiff
from awrdiff.cli.push import Sent, Source
from awrdiff.collecting.collection_pass import MEMORY, TRIES, Memory, alone_in
from awrdiff.collecting.config import BadConfig, read_config
from awrdiff.collecting.oracledb_reports import NotMade, Session
from fixtures.build import built
from parsers import parse_report
from tests.harness import oracle

ERP = '[[database]]\nname = "erp"\ndsn = "erp"\nuser = "awr_reader"\npassword_env = "ERP_PASSWORD"\n'
HR = ERP.replace("erp", "hr").replace("ERP", "HR")


@pytest.fixture(autouse=True)
def passwords(monkeypatch) -> None:
    for name in ("ERP_PASSWORD", "HR_PASSWORD"):
        monkeypatch.setenv(name, oracle.Recorded().password)


class Place:
    """A folder with a configuration; `run` is a pass."""

    def __init__(self, root: Path, *databases: str, head: str = "") -> None:
        self.folder = root / "awr"
        self.config = root / "collect.toml"
        self.config.write_text(f'folder = "{self.folder}"\n{head}' + "\n".join(databases), encoding="utf-8")

    def run(self, driver: Any) -> int:
        return collecting.run(self.config, driver)

    @property
    def files(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir() if not file.name.startswith("."))


def reports_asked(recorded: oracle.Recorded) -> list[int]:
    return [binds["b"] for sql, binds in recorded.statements if "awr_report" in sql]


def test_each_interval_of_each_instance_becomes_a_file_that_reads_as_it_was(tmp_path):
    text = built()["cases/plain/usual.html"].decode()
    place, erp = Place(tmp_path, ERP), oracle.Recorded(text=text, snapshots={1: [10, 11, 12], 2: [11, 12]})
    assert place.run(oracle.Driver(erp=erp)) == 0
    assert place.files == [
        "awr_erp_1_20261124_1000_10_11.html",
        "awr_erp_1_20261124_1100_11_12.html",
        "awr_erp_2_20261124_1100_11_12.html",
    ]
    kept = (place.folder / place.files[0]).read_text(encoding="utf-8")
    assert kept.rstrip("\n") == text.rstrip("\n")
    assert parse_report(kept.encode()).sections == parse_report(text.encode()).sections


@pytest.mark.parametrize(("head", "folder_mode", "file_mode"), [("", 0o700, 0o600), ("shared = true\n", 0o755, 0o644)])
def test_what_is_collected_is_for_its_owner_alone_unless_it_is_shared(tmp_path, head, folder_mode, file_mode):
    place = Place(tmp_path, ERP, head=head)
    umask = os.umask(0o022)
    try:
        assert place.run(oracle.Driver(erp=oracle.Recorded())) == 0
        assert os.umask(0o022) == 0o022  # as it was before
    finally:
        os.umask(umask)
    assert place.folder.stat().st_mode & 0o777 == folder_mode
    assert {path.stat().st_mode & 0o777 for path in place.folder.iterdir()} == {file_mode}
    assert MEMORY in {path.name for path in place.folder.iterdir()}


def test_what_a_killed_pass_left_readable_does_not_stay_so(tmp_path):
    place = Place(tmp_path, ERP)
    place.folder.mkdir()
    left = place.folder / f".{MEMORY}.part"
    left.write_text("half of it")
    left.chmod(0o644)
    assert place.run(oracle.Driver(erp=oracle.Recorded())) == 0
    assert (place.folder / MEMORY).stat().st_mode & 0o777 == 0o600


def test_what_is_there_is_not_asked_for_again_and_what_is_new_is(tmp_path):
    place, erp = Place(tmp_path, ERP), oracle.Recorded()
    driver = oracle.Driver(erp=erp)
    assert place.run(driver) == place.run(driver) == 0
    assert reports_asked(erp) == [10, 11]
    (place.folder / place.files[0]).unlink()  # somebody moved it on
    erp.snapshots[1].append(13)
    place.run(driver)
    assert reports_asked(erp) == [10, 11, 12]


def test_it_looks_back_to_the_last_pass_that_succeeded(tmp_path):
    place, erp = Place(tmp_path, ERP), oracle.Recorded()
    driver = oracle.Driver(erp=erp)
    place.run(driver)
    memory = json.loads((place.folder / MEMORY).read_text())
    memory["asked"]["erp"] -= 72 * 3600
    (place.folder / MEMORY).write_text(json.dumps(memory))
    erp.down = "DPY-6005: cannot connect to database"
    assert place.run(driver) == 3
    erp.down = ""
    place.run(driver)
    looked = [sql for sql, _ in erp.statements if "dba_hist_snapshot" in sql]
    assert "sysdate - 24/24" in looked[0]
    assert "sysdate - 74/24" in looked[1]


@pytest.mark.parametrize(("since_s", "hours"), [(72 * 3600, 73), (72 * 3600 + 1, 74), (3600, 24), (0, 24)])
def test_it_looks_back_an_hour_farther_than_the_last_pass(tmp_path, since_s, hours):
    """A snapshot that was being taken then ends later than its time."""
    place = Place(tmp_path, ERP)
    (database,) = read_config(place.config).database
    place.folder.mkdir()
    memory = Memory(place.folder)
    memory.note_pass(database, 1_000_000.0)
    assert memory.hours(database, 1_000_000.0 + since_s) == hours


def test_a_client_is_loaded_once_before_any_database_is_asked(tmp_path, monkeypatch):
    driver = oracle.Driver(erp=oracle.Recorded(), hr=oracle.Recorded())
    monkeypatch.setattr("importlib.import_module", lambda name: driver)
    place = Place(tmp_path, ERP, HR, head='client = "/opt/oracle/client"\n')
    assert place.run(None) == 0
    assert driver.clients == ["/opt/oracle/client"]
    assert Place(tmp_path, ERP, head="").run(None) == 0
    assert driver.clients == ["/opt/oracle/client"]


def test_a_client_that_cannot_be_loaded_ends_the_pass_with_a_sentence(tmp_path, monkeypatch):
    driver = oracle.Driver(erp=oracle.Recorded())
    driver.no_client = "DPI-1047: Cannot locate a 64-bit Oracle Client library"
    monkeypatch.setattr("importlib.import_module", lambda name: driver)
    with pytest.raises(Refused, match=r"/opt/none could not be loaded: DPI-1047"):
        Place(tmp_path, ERP, head='client = "/opt/none"\n').run(None)


@pytest.mark.parametrize(
    ("error", "is_hinted"),
    [
        ("DPY-3010: connections to this database server version are not supported", True),
        ("DPY-3001: Native Network Encryption is only supported in thick mode", True),
        ("DPY-6005: cannot connect to database", False),
    ],
)
def test_what_needs_an_oracle_client_says_so(tmp_path, capsys, error, is_hinted):
    place = Place(tmp_path, ERP)
    assert place.run(oracle.Driver(erp=oracle.Recorded(down=error))) == 3
    assert ("client = " in capsys.readouterr().err) is is_hinted


def test_a_database_that_is_down_stops_no_other_and_no_password_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ERP_PASSWORD", "not-the-one")
    place, hr = Place(tmp_path, ERP, HR), oracle.Recorded()
    assert place.run(oracle.Driver(erp=oracle.Recorded(), hr=hr)) == 3
    out, err = capsys.readouterr()
    assert "hr: 2 new" in out
    assert "ORA-01017" in err
    assert "not-the-one" not in out + err + (place.folder / MEMORY).read_text()
    assert "docs.oracle.com" not in err


def test_a_wallet_that_does_not_open_stops_no_other_database(tmp_path, capsys, monkeypatch):
    """The driver hands on what ssl says of it, which is no error of its own."""
    connect = oracle.Driver.connect

    def connects(self: oracle.Driver, **settings: Any) -> Any:
        if settings["dsn"] == "erp":
            raise ssl.SSLError(1, "[SSL] PEM lib")
        return connect(self, **settings)

    monkeypatch.setattr(oracle.Driver, "connect", connects)
    assert Place(tmp_path, ERP, HR).run(oracle.Driver(erp=oracle.Recorded(), hr=oracle.Recorded())) == 3
    out, err = capsys.readouterr()
    assert "hr: 2 new" in out
    assert "erp could not be read: [SSL] PEM lib" in err


@pytest.mark.parametrize("error", ["ORA-00942: table or view does not exist", "DPY-4024: call timeout exceeded"])
def test_snapshots_that_cannot_be_read_stop_no_other_database(tmp_path, capsys, error):
    place, hr = Place(tmp_path, ERP, HR), oracle.Recorded()
    assert place.run(oracle.Driver(erp=oracle.Recorded(unread=error), hr=hr)) == 2
    out, err = capsys.readouterr()
    assert "hr: 2 new" in out
    assert f"erp: its snapshots cannot be read: {error}" in err


def test_clones_with_one_dbid_have_each_their_own_reports(tmp_path):
    place = Place(tmp_path, ERP, HR, head="at_once = 1\n")
    driver = oracle.Driver(erp=oracle.Recorded(), hr=oracle.Recorded(snapshots={1: [8, 9, 10]}))
    assert place.run(driver) == 0
    assert len(place.files) == 4
    before = place.files
    assert place.run(driver) == 0
    assert (place.files, [len(reports_asked(one)) for one in driver.databases.values()]) == (before, [2, 2])


def test_snapshots_that_are_numbered_from_1_again_are_new(tmp_path):
    place, erp = Place(tmp_path, ERP), oracle.Recorded()
    driver = oracle.Driver(erp=erp)
    place.run(driver)
    erp.snapshots, erp.later_h = {1: [1, 2, 3]}, 100
    assert [place.run(driver), place.run(driver)] == [0, 0]
    assert reports_asked(erp) == [10, 11, 1, 2]


def test_reports_are_written_in_the_language_that_is_read(tmp_path):
    place, erp = Place(tmp_path, ERP), oracle.Recorded()
    place.run(oracle.Driver(erp=erp))
    assert "nls_language = 'AMERICAN' nls_territory = 'AMERICA'" in erp.statements[0][0]


def test_a_report_that_fails_is_named_and_asked_for_a_few_times_more(tmp_path, capsys):
    place = Place(tmp_path, ERP)
    erp = oracle.Recorded(fails={10: "ORA-20019: invalid begin snapshot id\nORA-06512: at SYS.DBMS_SWRF"})
    driver = oracle.Driver(erp=erp)
    assert place.run(driver) == 2
    assert place.files == ["awr_erp_1_20261124_1100_11_12.html"]
    said = capsys.readouterr().err
    assert "_10_11.html could not be made: ORA-20019" in said
    assert "06512" not in said
    assert [place.run(driver) for _ in range(TRIES)] == [2] * (TRIES - 1) + [0]
    assert reports_asked(erp).count(10) == TRIES
    assert reports_asked(erp).count(11) == 1


def test_a_lost_connection_counts_as_no_try_and_keeps_what_came(tmp_path):
    place, erp = Place(tmp_path, ERP), oracle.Recorded(lost_at=11)
    driver = oracle.Driver(erp=erp)
    assert [place.run(driver) for _ in range(TRIES + 1)] == [3] * (TRIES + 1)
    assert len(place.files) == 1
    erp.lost_at = None
    assert place.run(driver) == 0
    assert len(place.files) == 2
    assert reports_asked(erp).count(10) == 1
    assert erp.open == 0


def test_a_pass_that_dies_fetches_one_report_again_at_most(tmp_path, monkeypatch):
    place, erp = Place(tmp_path, ERP), oracle.Recorded(snapshots={1: [10, 11, 12, 13]})
    fetched = Memory.fetched

    def dies(self: Memory, interval: Any, files: list[str]) -> None:
        if interval.first == 11:
            raise KeyboardInterrupt
        fetched(self, interval, files)

    monkeypatch.setattr(Memory, "fetched", dies)
    with pytest.raises(KeyboardInterrupt):
        place.run(oracle.Driver(erp=erp))
    monkeypatch.setattr(Memory, "fetched", fetched)
    assert place.run(oracle.Driver(erp=erp)) == 0
    assert reports_asked(erp) == [10, 11, 11, 12]
    assert len(place.files) == 3


@pytest.mark.parametrize("access", [None, "NONE", "none"])
def test_without_the_licence_nothing_is_read(tmp_path, capsys, access):
    place, erp = Place(tmp_path, ERP), oracle.Recorded(access=access)
    assert place.run(oracle.Driver(erp=erp)) == 2
    assert not any("_snapshot" in sql or "dbms_" in sql for sql, _ in erp.statements)
    assert "--statspack" in capsys.readouterr().err
    assert erp.open == 0


def test_ash_and_addm_beside_it_and_an_ash_that_fails_harms_nothing(tmp_path):
    place = Place(tmp_path, f"{ERP}ash = true\naddm = true\ntext = true\n")
    erp = oracle.Recorded(addm={11: "ADDM Report\nFinding 1"})
    assert place.run(oracle.Driver(erp=erp)) == 0
    assert [file.split("_")[0] for file in place.files] == ["addm", "ash", "ash", "awr", "awr"]
    assert (place.folder / "addm_erp_1_20261124_1100_11_12.txt").read_text() == "ADDM Report\nFinding 1"
    _, binds = next(asked for asked in erp.statements if "ash_report_text" in asked[0])
    assert (binds["since"], binds["till"]) == (oracle.taken_at(10), oracle.taken_at(11))


def test_addm_that_has_not_finished_is_asked_for_in_the_next_two_passes_alone(tmp_path):
    place, erp = Place(tmp_path, f"{ERP}addm = true\n"), oracle.Recorded()

    def asked() -> int:
        before = sum("dba_addm_tasks" in sql and "b" in binds for sql, binds in erp.statements)
        assert place.run(oracle.Driver(erp=erp)) == 0
        return sum("dba_addm_tasks" in sql and "b" in binds for sql, binds in erp.statements) - before

    assert [asked(), asked()] == [2, 2]
    erp.addm = {11: "ADDM Report\nFinding 1"}
    assert asked() == 2
    assert [file for file in place.files if file.startswith("addm")] == ["addm_erp_1_20261124_1100_11_12.txt"]
    assert (asked(), reports_asked(erp)) == (0, [10, 11])


def test_addm_that_is_not_wanted_for_a_while_is_neither_asked_for_nor_given_up(tmp_path):
    place, erp = Place(tmp_path, f"{ERP}addm = true\n"), oracle.Recorded()
    place.run(oracle.Driver(erp=erp))
    before = len(erp.statements)
    wanted = place.config.read_text()
    place.config.write_text(wanted.replace("addm = true", ""))
    assert [place.run(oracle.Driver(erp=erp)) for _ in range(TRIES)] == [0] * TRIES
    assert not [sql for sql, _ in erp.statements[before:] if "addm" in sql]
    place.config.write_text(wanted)
    erp.addm = {11: "ADDM Report\nFinding 1"}
    place.run(oracle.Driver(erp=erp))
    assert "addm_erp_1_20261124_1100_11_12.txt" in place.files


def test_addm_that_cannot_be_had_later_is_named_and_not_asked_for_again(tmp_path, capsys, monkeypatch):
    place, erp = Place(tmp_path, f"{ERP}addm = true\n"), oracle.Recorded(snapshots={1: [10, 11]})
    place.run(oracle.Driver(erp=erp))

    def fails(*_: object) -> str:
        raise NotMade("ORA-13605")

    monkeypatch.setattr(Session, "addm", fails)
    assert [place.run(oracle.Driver(erp=erp)) for _ in range(2)] == [2, 0]
    assert "_10_11.txt could not be made: ORA-13605" in capsys.readouterr().err


def test_a_pdb_has_its_own_views(tmp_path):
    place, erp = Place(tmp_path, f"{ERP}pdb = true\n"), oracle.Recorded()
    assert place.run(oracle.Driver(erp=erp)) == 0
    assert any("awr_pdb_snapshot" in sql and "v$pdbs" in sql for sql, _ in erp.statements)
    assert not any("dba_hist" in sql for sql, _ in erp.statements)


def test_databases_are_asked_side_by_side_but_not_before_their_time(tmp_path):
    place, erp = Place(tmp_path, f"{ERP}every_minutes = 60\n", head="at_once = 2\n"), oracle.Recorded()
    place.run(oracle.Driver(erp=erp))
    place.run(oracle.Driver(erp=erp))
    assert len(erp.connects) == 1


def test_two_passes_do_not_work_in_one_folder(tmp_path):
    place = Place(tmp_path, ERP)
    with alone_in(place.folder), pytest.raises(Refused, match="is running"):
        place.run(oracle.Driver(erp=oracle.Recorded()))


def test_what_was_not_sent_is_sent_the_next_time(tmp_path, monkeypatch):
    place = Place(tmp_path, ERP, head='server = "http://127.0.0.1:9/"\n')
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    sent: list[str] = []

    def away(*_: object) -> None:
        raise Unreachable("it is away")

    def takes(sources: list[Source], _server: object, tell: Any) -> None:
        for source in sources:
            sent.append(Path(source.name).name)
            tell(Sent(source.name))

    monkeypatch.setattr(collecting, "push", away)
    assert place.run(oracle.Driver(erp=oracle.Recorded())) == 3
    monkeypatch.setattr(collecting, "push", takes)
    assert [place.run(oracle.Driver(erp=oracle.Recorded())) for _ in range(2)] == [0, 0]
    assert sent == place.files


def test_what_the_server_has_no_room_for_is_sent_the_next_time_and_what_it_refuses_is_not(tmp_path, monkeypatch):
    place = Place(tmp_path, ERP, head='server = "http://127.0.0.1:9/"\n')
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    sent: list[str] = []

    def refuses(sources: list[Source], _server: object, tell: Any) -> None:
        for source in sources:
            sent.append(Path(source.name).name)
            tell(Sent(source.name, refusals=("no",), later=source.name.endswith("_11_12.html")))

    monkeypatch.setattr(collecting, "push", refuses)
    assert [place.run(oracle.Driver(erp=oracle.Recorded())) for _ in range(2)] == [2, 2]
    assert sent == [*place.files, place.files[1]]


def test_what_cannot_be_remembered_ends_it_with_a_sentence(tmp_path, monkeypatch):
    place = Place(tmp_path, ERP, head='server = "http://127.0.0.1:9/"\n')
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")

    def takes(sources: list[Source], _server: object, tell: Any) -> None:
        (place.folder / f".{MEMORY}.part").mkdir()
        tell(Sent(sources[0].name))

    monkeypatch.setattr(collecting, "push", takes)
    with pytest.raises(Refused, match="cannot be written to"):
        place.run(oracle.Driver(erp=oracle.Recorded()))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "folder"),
        ('folder = "x"\ndatabase = []', "1 to 1000"),
        ("folder = 'x'\nclient = 'c'\n" + ERP + "wallet = 'w'", "TNS_ADMIN"),
        ("folder = 'x'\n" + ERP + ERP, "called erp"),
        ("folder = 'x'\n" + ERP + "pasword = 'x'", "pasword"),
        ("folder = 'x'\n" + ERP + "password_file = 'x'", "one of password_env"),
        ("folder = 'x'\n" + ERP + "hours = 0", "hours"),
        ("folder = 'x'\n" + ERP + "hours = '1'", "hours"),
        ("folder = 'x'\n" + ERP + "pdb = true\nglobal = true", "one of pdb and global"),
        ("folder = 'x'\n" + ERP.replace('"erp"', '"../erp"', 1), "letters"),
        ("folder = 'x'\nat_once = 99\n" + ERP, "at_once"),
        ("folder = ", "Invalid value"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_in_a_sentence(tmp_path, text, says):
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(BadConfig, match=says):
        read_config(file)


def test_a_secret_that_is_not_there_is_named_by_its_place(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ERP_PASSWORD")
    place = Place(tmp_path, ERP)
    assert place.run(oracle.Driver(erp=oracle.Recorded())) == 2
    assert "ERP_PASSWORD" in capsys.readouterr().err


def test_a_memory_that_cannot_be_read_is_not_taken_for_an_empty_one(tmp_path):
    place = Place(tmp_path, ERP)
    place.folder.mkdir()
    (place.folder / MEMORY).write_text("{")
    with pytest.raises(Refused, match="fetched again"):
        place.run(oracle.Driver(erp=oracle.Recorded()))


def test_the_driver_has_what_is_used_of_it():
    """The stand-in speaks the interface of the driver that is pinned."""
    settings = inspect.signature(oracledb.ConnectParams.set).parameters
    assert {"user", "password", "tcp_connect_timeout", "wallet_location", "wallet_password", "config_dir"} <= set(
        settings
    )
    assert {"cursor", "is_healthy", "close", "call_timeout"} <= set(dir(oracledb.Connection))
    assert {"execute", "arraysize", "__iter__", "__enter__"} <= set(dir(oracledb.Cursor))
    assert issubclass(oracledb.DatabaseError, oracledb.Error)
    assert "lib_dir" in inspect.signature(oracledb.init_oracle_client).parameters


def test_a_database_that_is_not_there_is_said_by_the_driver_itself(tmp_path, monkeypatch):
    """The driver, not its stand-in, on a port where nothing listens."""
    place = Place(tmp_path, ERP.replace('dsn = "erp"', 'dsn = "127.0.0.1:1/erp"'))
    result = CliRunner().invoke(awrdiff, ["collect", str(place.config)])
    assert result.exit_code == 3
    assert "DPY-6005" in result.output
    assert oracle.Recorded().password not in result.output
