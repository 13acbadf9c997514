"""What becomes of a text by what it holds."""

from __future__ import annotations

import re

import pytest

from awrdiff.redaction.allowed_words import PROSE, is_heading
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.pseudonyms import Pseudonyms
from awrdiff.redaction.text_redaction import Texts, shape

TEXTS = Texts(Redaction(key="07" * 32, sql="shape"))
NAMES = TEXTS.names


def tail(name: str) -> str:
    return NAMES.tail(name)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("user", "SYS", "SYS"),
        ("user", "APP", f"user-{tail('app')}"),
        ("user", "** UNAVAILABLE **", "** UNAVAILABLE **"),
        ("user", "** ACME CORP **", f"user-{tail('** ACME CORP **')}"),
        ("service", "SYS$USERS", "SYS$USERS"),
        ("container", "CDB$ROOT", "CDB$ROOT"),
        ("container", "SALESPDB", f"pdb-{tail('salespdb')}"),
        ("tablespace", "UNDOTBS1", "UNDOTBS1"),
        ("tablespace", "SALES", f"ts-{tail('sales')}"),
        ("host", "db01.acme.com", f"host-{tail('db01')}"),
        ("host", "10.1.2.3", f"host-{tail('10.1.2.3')}"),
        ("program", "oracle@db01.acme.com (LGWR)", f"oracle@host-{tail('db01')} (LGWR)"),
        ("program", "oracle@db01 (ACME)", f"oracle@host-{tail('db01')}"),
        ("program", "acme.exe", f"prog-{tail('acme.exe')}"),
        ("program", "ORACLE.EXE (DBW0)", "ORACLE.EXE (DBW0)"),
        ("module", "JDBC Thin Client", "JDBC Thin Client"),
        ("module", "PAYROLL", f"mod-{tail('payroll')}"),
        ("segment", "SOE.ORDERS (TABLE)", f"user-{tail('soe')}.obj-{tail('orders')} (TABLE)"),
        ("segment", "SYS.SEG$ (TABLE)", "SYS.SEG$ (TABLE)"),
        ("segment", "SYS.WRH$_SQLSTAT_PK (INDEX)", "SYS.WRH$_SQLSTAT_PK (INDEX)"),
        ("segment", "SYS.AQ$_SYS$SERVICE_METRICS_TAB_S", "SYS.AQ$_SYS$SERVICE_METRICS_TAB_S"),
        ("segment", "SYSTEM.ACME$", f"SYSTEM.obj-{tail('acme$')}"),
        ("segment", "SYSTEM.MLOG$_ACME", f"SYSTEM.obj-{tail('mlog$_acme')}"),
        ("segment", "SYS.AQ$_ACME_QUEUE_I", f"SYS.obj-{tail('aq$_acme_queue_i')}"),
        ("segment", "SOE.WRH$_ACME", f"user-{tail('soe')}.obj-{tail('wrh$_acme')}"),
        ("segment", "SOE.ORDERS (ACME)", f"user-{tail('soe')}.obj-{tail('orders (acme)')}"),
        ("subprogram", "SYS.DBMS_STATS.X", f"SYS.DBMS_STATS.obj-{tail('x')}"),
        ("file", "/u01/acme/users01.dbf", f"file-{tail('/u01/acme/users01.dbf')}.dbf"),
        ("value", "TRUE", "TRUE"),
        ("value", "8192", "8192"),
        ("value", "/u01/acme", f"path-{tail('/u01/acme')}"),
        ("value", "SERVICE=acme LGWR SYNC AFFIRM", f"SERVICE=value-{tail('acme')} LGWR SYNC AFFIRM"),
        ("value", "10.1.2.3", f"addr-{tail('10.1.2.3')}"),
        ("value", "(LISTENER=10.40.10.104:1521)", f"(value-{tail('listener')}=addr-{tail('10.40.10.104')}:1521)"),
        ("value", "10.40.10.0/24", f"addr-{tail('10.40.10.0')}/24"),
        ("value", "2001:470:1:25", f"addr-{tail('2001:470:1:25')}"),
        ("value", "(HOST=10.40.10", f"(value-{tail('host')}=addr-{tail('10.40.10')}"),
        ("figure", "31-Dec-23 23:00:12", "31-Dec-23 23:00:12"),
        ("figure", "31-DEC-23 09.30.36 PM", "31-DEC-23 09.30.36 PM"),
        ("figure", "08-Ноя-17 16:11", "08-Ноя-17 16:11"),
        ("figure", "16-2月 -13 05:00:50", "16-2月 -13 05:00:50"),
        ("figure", "01-FÉVR. -24 10:00", "01-FÉVR. -24 10:00"),
        ("figure", "acme 08-Ноя-17 acme", f"name-{tail('acme')} 08-Ноя-17 name-{tail('acme')}"),
        ("figure", "08-ACME-17", f"name-{tail('08-acme-17')}"),
        ("figure", "acme-08-Ноя-17", f"name-{tail('acme-08-ноя-17')}"),
        ("figure", "23:00:12.123456", "23:00:12.123456"),
        ("figure", "acme 3", f"name-{tail('acme')} 3"),
        ("prose", "The SQL statement waited for ACME.", f"The SQL statement waited for name-{tail('acme')}."),
        ("prose", 'user "ACME" on 10.1.2.3', f'user "name-{tail("acme")}" on addr-{tail("10.1.2.3")}'),
        ("prose", "TABLE with object ID 4378874.", f"TABLE with object ID {NAMES.digits('4378874')}."),
        ("prose", "object ID 123456789", f"object ID {NAMES.digits('123456789')}"),
        ("oracle", "log file sync", "log file sync"),
        ("drop", "anything", None),
    ],
)
def test_what_becomes_of_it(kind, text, expected):
    assert TEXTS.of[kind](text) == expected


def test_ids_keep_their_form():
    assert re.fullmatch(r"[0-9a-df-hj-np-z]{13}", NAMES.sql_id("gk1z3ff3k2hmf"))
    assert re.fullmatch(r"[1-9]\d{9}", TEXTS.of["dbid"]("1234567890"))
    assert TEXTS.of["dbid"]("1234567890") != "1234567890"
    assert NAMES.sql_id("1234567890").isdecimal()
    assert NAMES.sql_id("gk1z3ff3k2hmf") in TEXTS.words("SQL_ID gk1z3ff3k2hmf was", PROSE)


def test_small_ids_stay_apart():
    """A container database has hundreds of containers: where two became one, their rows would be taken for each other."""
    for key in range(200):
        names = Pseudonyms(f"{key:064x}")
        assert len({names.digits(str(container)) for container in range(1, 101)}) == 100


def test_long_numbers_in_sentences_are_names():
    assert "1234567890" not in TEXTS.words("database 1234567890 has 12 rows", PROSE)


def test_a_version_is_told_of_the_parameters_that_are_one():
    assert TEXTS.value_of("compatible", "19.0.0") == "19.0.0"
    assert TEXTS.value_of("listener", "19.0.0.1") != "19.0.0.1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select * from dual where a = 'ACME' and b=12.5", "select * from dual where {a} = ? and {b}=?"),
        ("SELECT /* ACME */ x -- acme\nFROM v$session", "SELECT {x} FROM v$session"),
        ("update orders set c=:acme_1, d=N'it''s ACME'", "update {orders} set {c}=:b, {d}=?"),
        ("select q'[it's acme]' || q'!acme'!' from t", "select ? || ? from {t}"),
        ('select "Acme Sales" from acme.orders@acme.world', "select {Acme Sales} from {acme}.{orders}@{acme}.{world}"),
        ("select 'cut ACME", "select ?"),
        ("ACME cut in a literal' , 'x'", "{acme} {cut} in {a} {literal}?{x}?"),
        ("begin acme.pay(p => 3); end;", "begin {acme}.{pay}({p} => ?); end;"),
    ],
)
def test_the_shape_of_a_statement(text, expected):
    wanted = re.sub(r"\{(.*?)\}", lambda m: f"n_{tail(m[1])}", expected)
    assert shape(text, NAMES) == wanted


@pytest.mark.parametrize(("text", "known"), [("# Waits/sec 1st", True), ("<512ms", True), ("ACME Reads", False)])
def test_headings(text, known):
    assert is_heading(text) is known


def test_without_the_key_names_cannot_be_tried():
    one, other = Pseudonyms("07" * 32), Pseudonyms("08" * 32)
    assert one.tail("acme") == one.tail(" ACME ") != other.tail("acme")
    assert one.digits("1234567") != other.digits("1234567")
