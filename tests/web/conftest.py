"""The cast of the access tests: one owns, one is on the team, one must never get in. And small reports by hand."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

# All that answers is loaded before a test replaces a function of it: what took its name from there meanwhile would keep it.
import awrdiff.web.sign_in.allauth_adapter
import awrdiff.web.urls  # noqa: F401
from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.accounts.services import join
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.services import compute_both_ways
from awrdiff.comparisons.tasks import compute_now
from awrdiff.logs import Seldom, SeldomWhileAway
from awrdiff.processing import dispatch, sandbox
from awrdiff.processing.models import State
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.tasks import header_columns, section_rows
from awrdiff.web.views.comparison_page_cache import SHEETS
from parsers import PARSER_VERSION
from parsers import Report as ParsedReport
from tests.harness import sent, unconfined
from tests.web.builders import small_report


def context_of(name: str, team: str, role: str | None = None) -> AccessContext:
    user, _ = User.objects.get_or_create(username=name)
    found = join(user, team, role)
    return AccessContext(team=found.team, user=user, role=found.role, membership=found.pk)


_SENT = sent.Sent()
_HEARS = bool(os.environ.get(sent.FOLDER)) and connection.vendor == "sqlite"


@pytest.hookimpl(trylast=True)  # of what is left by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if connection.vendor == "postgresql":
        sent.keep_enough(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not _HEARS:
        return (yield)
    with connection.execute_wrapper(_SENT), _SENT.by(item.nodeid):
        return (yield)


def pytest_sessionfinish() -> None:
    if _HEARS and _SENT.recording:
        _SENT.write()


@pytest.fixture(autouse=True)
def broker_is_asked(monkeypatch):
    """A broker that failed in one test is not spared in the next."""
    monkeypatch.setattr(dispatch, "_asked_again_at", 0.0)


@pytest.fixture(autouse=True)
def nothing_counted():
    """What was asked for in one test is not too much in the next."""
    cache.clear()
    SHEETS.clear()


@functools.cache
def _seldom_logged() -> list[Seldom]:
    """All limits on repeated lines of the log that a module keeps for as long as its process runs."""
    modules = [module for name, module in sys.modules.items() if name.startswith("awrdiff.")]
    of_modules = [value for module in modules for value in vars(module).values() if isinstance(value, Seldom)]
    filters = logging.getLogger("django.request").filters
    return of_modules + [
        limit for each in filters if isinstance(each, SeldomWhileAway) for limit in each._seldom.values()
    ]


@pytest.fixture(autouse=True)
def every_line_is_logged(monkeypatch):
    """A line that one test had logged is not left out in the next, which may run within the same minute."""
    for limit in _seldom_logged():
        monkeypatch.setattr(limit, "_next_s", 0.0)
        monkeypatch.setattr(limit, "_left_out", 0)


@pytest.fixture(autouse=True)
def worked_on_here(request, monkeypatch):
    """Files are read and compared in the test's own process, but where it is marked `confined`: a fork costs more."""
    if not request.node.get_closest_marker("confined"):
        monkeypatch.setattr(sandbox, "run", unconfined.run)


@pytest.fixture(scope="module")
def lasting(django_db_setup, django_db_blocker) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """`with lasting():` writes what all tests of a file find. Each takes back its own doings, the file's end the rest."""
    around = transaction.atomic()

    @contextmanager
    def writing() -> Iterator[None]:
        with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(sandbox, "run", unconfined.run)
            yield

    with django_db_blocker.unblock():
        around.__enter__()
    yield writing
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture
def latest(transactional_db, settings) -> list[tuple[str, str]]:
    """The last migrations, as if they had made the tables: those of the models are the same (test_tables.py)."""
    settings.MIGRATION_MODULES = {}
    executor = MigrationExecutor(connection)
    found: list[tuple[str, str]] = executor.loader.graph.leaf_nodes()
    executor.migrate(found, fake=True)
    return found


@pytest.fixture
def one_minute(monkeypatch):
    """The minute by which a link's requests are counted does not end while a test runs."""
    monkeypatch.setattr(rate_limits, "minute_key", lambda key: f"{key}:1")


@pytest.fixture
def accounts(settings):
    """Sign-in as on a shared server: nobody is let in without logging in."""
    settings.AWRDIFF_LOCAL_USER = False


@pytest.fixture
def owner(db) -> AccessContext:
    return context_of("olivia", "Payments")


@pytest.fixture
def colleague(owner) -> AccessContext:
    return context_of("carl", "Payments")


@pytest.fixture
def guest(owner) -> AccessContext:
    """Of the team, and nothing is shown to them yet."""
    return context_of("gus", "Payments", "guest")


@pytest.fixture
def stranger(db) -> AccessContext:
    return context_of("sten", "Somewhere else")


@pytest.fixture
def sign_in(accounts):
    def signed_in(access: AccessContext) -> Client:
        client = Client()
        client.force_login(access.user)
        return client

    return signed_in


def store_report(
    access: AccessContext, name: str = "a.html", *, begin: str = "2024-01-01T10:00:00", **figures
) -> Report:
    """A ready report out of hand-built sections."""
    return store_parsed(access, small_report(name, begin=begin, **figures))


def store_parsed(access: AccessContext, parsed: ParsedReport) -> Report:
    """A ready report, as the worker leaves it."""
    report = Report.objects.create(
        team=access.team,
        uploaded_by=access.user,
        name=parsed.name,
        size=10,
        sha256=f"{abs(hash(parsed.name)):064x}"[:64],
        file=f"reports/{parsed.name}",
        state=State.READY,
        parser_version=PARSER_VERSION,
        **header_columns(parsed),
    )
    ReportSection.objects.bulk_create(section_rows(report, parsed))
    return report


@pytest.fixture
def reports(owner) -> list[Report]:
    return [
        store_report(owner, "first.html", begin="2024-01-01T10:00:00", waits=100.0),
        store_report(owner, "second.html", begin="2024-01-01T11:00:00", waits=250.0),
    ]


@pytest.fixture
def comparison(owner, reports) -> Comparison:
    """A ready comparison, computed by the real engine."""
    from awrdiff.comparisons.services import create_comparison

    made = create_comparison(owner, reports, order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.state == State.READY, made.error
    return made


def computed_both_ways(comparison: Comparison) -> Comparison:
    """As after a swap."""
    compute_both_ways([comparison.pk])
    compute_now(comparison.pk)
    comparison.refresh_from_db()
    return comparison


@pytest.fixture
def both_ways(comparison) -> Comparison:
    return computed_both_ways(comparison)


@pytest.fixture(scope="module")
def weeks(lasting) -> Comparison:
    """Five ordinary Mondays and a bad one, compared once for all tests of a file."""
    from tests.web.test_baselines import WAITS, store, week

    with lasting():
        return store(context_of("olivia", "Payments"), [week(n, waits) for n, waits in enumerate(WAITS)])


@pytest.fixture
def series(owner, weeks) -> Comparison:
    return deepcopy(weeks)


@pytest.fixture
def standing_clock(monkeypatch):
    """On a slow machine the first waits, of seconds, would be over before the next attempt."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
