"""A web server that is started by itself says what `manage.py prepare` was to do, and does not start without it."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError

from awrdiff.serving import prepared

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def up_to_date(monkeypatch, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    monkeypatch.setattr(prepared, "pending_migrations", list)
    monkeypatch.setattr(prepared.connection, "close", lambda: None)  # the test's own


def test_what_is_prepared_starts():
    prepared.refuse_unprepared()
    prepared.collected().write_text(prepared.fingerprint())
    prepared.refuse_unprepared()


def test_pending_migrations_are_named_and_what_to_do(monkeypatch):
    monkeypatch.setattr(
        prepared, "pending_migrations", lambda: ["socialaccount.0001_initial", "socialaccount.0002_token"]
    )
    with pytest.raises(ImproperlyConfigured, match=r"socialaccount\.0001_initial and 1 more.*manage\.py prepare"):
        prepared.refuse_unprepared()


def test_static_files_of_another_version_are_refused():
    prepared.collected().write_text("of another version")
    with pytest.raises(ImproperlyConfigured, match=r"Styles and scripts.*manage\.py prepare"):
        prepared.refuse_unprepared()


def test_a_database_that_is_away_may_come(monkeypatch):
    def away():
        raise OperationalError("connection refused")

    monkeypatch.setattr(prepared, "pending_migrations", away)
    prepared.refuse_unprepared()
