"""Fixtures that all tests share, and the closing lines on what was skipped and why."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import setproctitle

from tests.harness import first_cases, prepared, tools
from tests.harness.services import Postgres, Redis

setproctitle.getproctitle()  # it looks for the command line in memory, and misses it once a test emptied the environment

# Two busy cores make single examples slow; how long one takes says nothing here. Integration tries the same examples each
# time: what new ones find is for whoever runs the tests to look into.
_SAME = bool(os.environ.get("AWRDIFF_SAME_EXAMPLES"))
hypothesis.settings.register_profile("awrdiff", deadline=None, max_examples=50, derandomize=_SAME)
hypothesis.settings.load_profile("awrdiff")

_NO_CORPUS = "set AWRDIFF_CORPUS to a folder of real reports"


def corpus_folder() -> Path | None:
    named = os.environ.get("AWRDIFF_CORPUS", "")
    return Path(named).resolve() if named and Path(named).is_dir() else None


@pytest.fixture(scope="session", autouse=True)
def _prepared(tmp_path_factory: pytest.TempPathFactory) -> None:
    prepared.keep_below(tmp_path_factory)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real reports; the test is skipped without it."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip(_NO_CORPUS)
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the system's Chromium."""
    tools.need("chromium")
    found = tools.chromium()
    assert found is not None
    return found


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    tools.need("redis-server")
    server = Redis()
    server.start()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    tools.need("postgresql")
    server = Postgres()
    server.start()
    yield server
    server.close()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker) -> None:
    """Tests empty their database, which the audit log refuses; its own test puts the trigger back."""
    from django.db import connection

    from awrdiff.audit import triggers

    with django_db_blocker.unblock():
        triggers.drop(connection)


# Those that take longest begin: with one of them at the end, all other processes would have nothing to do.
LONGEST = (
    "processes/test_races.py",
    "processes/test_processing.py",
    "processes/test_backup.py",
    "e2e/test_team_journey.py",
    "e2e/test_threads.py",
    "robustness/test_takeover.py",
    "processes/test_postgresql.py",
    "processes/test_fairness.py",
    "e2e/test_accessibility.py",
    "processes/test_push.py",
    "e2e/test_people.py",
    "processes/test_sso.py",
    "e2e/test_corpus_uploads.py",
    "e2e/test_fifteen_tasks.py",
    "e2e/test_baselines.py",
    "robustness/test_chaos.py",
    "processes/test_description.py",
    "robustness/test_pipeline.py",
    "unit/test_commandline.py",
    "processes/test_deploy.py",
    "processes/test_guesses.py",
    "e2e/test_incident_live.py",
    "processes/test_plans.py",
    "unit/test_wheel.py",
    "web/test_transfer_all.py",
    "web/test_token_scopes.py",
    "web/test_every_address.py",
    "web/test_redacted_corpus.py",
    "unit/test_settings.py",
    "golden/test_evidence.py",
    "golden/test_said.py",
    "golden/test_schemas.py",
)
_RANKS = {str(Path(__file__).parent / name): rank for rank, name in enumerate(LONGEST)}


_MARKED = pytest.StashKey[dict[Path, set[str]]]()


@pytest.fixture(scope="session")
def marked(pytestconfig: pytest.Config) -> dict[Path, set[str]]:
    """The marks of the tests of each file that was collected, also of those that are not run."""
    return pytestconfig.stash[_MARKED]


def pytest_collection() -> None:
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marked = config.stash[_MARKED] = defaultdict(set)
    for item in items:
        marked[item.path].update(mark.name for mark in item.iter_markers())
    if os.environ.get(first_cases.ASKED):
        first_cases.keep(config, items)
    items.sort(key=lambda item: _RANKS.get(str(item.path), len(_RANKS)))
    if corpus_folder() is None:
        for item in items:
            if item.get_closest_marker("corpus"):
                item.add_marker(pytest.mark.skip(reason=_NO_CORPUS))


def pytest_collection_finish() -> None:
    """Looking for cycles again and again among all that was imported and collected took a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes are named by their argument: an archive holds the time it was made, which differs between two workers."""
    return argname if isinstance(val, bytes) else None


_MOST_OF_A_FAILURE = 4000  # a browser's failure prints the whole page


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why tests were skipped and which failed first, and leave the tally where bin/test collects it."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[said.removeprefix("Skipped: ")] += 1
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} skipped: {reason}")
    reruns = [report.nodeid for report in terminalreporter.stats.get("rerun", [])]
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_line(f"run a second time: {report.nodeid}\n{report.longreprtext[:_MOST_OF_A_FAILURE]}")
    if os.environ.get("AWRDIFF_TALLY") and "PYTEST_XDIST_WORKER" not in os.environ:
        counts = {k: len(v) for k, v in terminalreporter.stats.items() if k in ("passed", "failed", "error", "skipped")}
        with Path(os.environ["AWRDIFF_TALLY"]).open("a") as tally:
            tally.write(json.dumps({"counts": counts, "skipped": reasons, "reruns": reruns}) + "\n")
