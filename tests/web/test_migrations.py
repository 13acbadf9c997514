"""What an older version stored is taken over as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

COMPARISONS_BEFORE = [("comparisons", "0002_comparisonreport_aspect"), ("reports", "0001_initial")]
PEOPLE_BEFORE = ("accounts", "0002_failed_sign_ins")


def migrate(targets) -> Callable[[str, str], Any]:
    """The managers of the models as they are then, by app and name."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    apps = executor.loader.project_state(targets).apps
    return lambda app, name: apps.get_model(app, name).objects


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_back_to_an_old_version_and_on_from_what_it_stored(latest):
    """One way there and back for all: each takes seconds."""
    _compared(migrate(latest), engine_versions={"5.6": 5006, "10.12": 10012, "": 0})
    try:
        old = migrate([*COMPARISONS_BEFORE, PEOPLE_BEFORE])
        assert {(c.title, c.engine_version) for c in old("comparisons", "Comparison").all()} == {
            ("5.6", "5.6"),
            ("10.12", "10.12"),
            ("", ""),
        }
        old("comparisons", "Comparison").all().delete()
        old("accounts", "Team").all().delete()
        _compared(old, engine_versions={words: words for words in ("5.6", "10.12", "", "odd")})
        _people(old)
    finally:
        new = migrate(latest)
    _versions_became_numbers_and_results_stayed(new)
    _whoever_was_on_a_team_first_owns_it_and_nobody_is_lost(new)


def _compared(objects, engine_versions: dict[str, str | int]) -> None:
    """Comparisons of one report, called by their version's words."""
    team = objects("accounts", "Team").create(name="Payments")
    report = objects("reports", "Report").create(
        team_id=team.pk, name="a.html", size=1, sha256="0", file="reports/1/00/00", state="ready", parser_version=5
    )
    for words, version in engine_versions.items():
        made = objects("comparisons", "Comparison").create(
            team_id=team.pk, title=words, state="ready", engine_version=version, overview=b"x"
        )
        objects("comparisons", "ComparisonReport").create(comparison=made, report_id=report.pk, position=0)


def _people(objects) -> None:
    teams, users = objects("accounts", "Team"), objects("accounts", "User")
    for team, names in {"Payments": ("olivia", "carl"), "Local": ("local",), "Empty": ("carl",)}.items():
        made, _ = teams.get_or_create(name=team)
        for name in names:
            user, _ = users.get_or_create(username=name, defaults={"password": f"hash of {name}"})
            objects("accounts", "Membership").create(team=made, user=user)


def _versions_became_numbers_and_results_stayed(objects) -> None:
    found = objects("comparisons", "Comparison")
    assert dict(found.values_list("title", "engine_version")) == {"5.6": 5006, "10.12": 10012, "": 0, "odd": 0}
    assert {(c.state, bytes(c.overview), c.stored_format, c.failures) for c in found.all()} == {("ready", b"x", 1, 0)}
    kept = objects("reports", "Report").get()
    assert (kept.file, kept.parser_version, kept.stored_format) == ("reports/1/00/00", 5, 1)


def _whoever_was_on_a_team_first_owns_it_and_nobody_is_lost(objects) -> None:
    found = objects("accounts", "Membership").values_list("team__name", "user__username", "role")
    assert sorted(found) == [
        ("Empty", "carl", "owner"),
        ("Local", "local", "owner"),
        ("Payments", "carl", "member"),
        ("Payments", "olivia", "owner"),
    ]
    assert objects("accounts", "User").get(username="carl").password == "hash of carl"
    assert not objects("accounts", "PeopleSignIn").exists()


def test_together_they_make_what_the_models_say(settings):
    """The fast tests make their tables from the models."""
    settings.MIGRATION_MODULES = {}
    migrations = MigrationLoader(None)
    assert len(migrations.disk_migrations) > 50
    detector = MigrationAutodetector(migrations.project_state(), ProjectState.from_apps(apps))
    assert detector.changes(graph=migrations.graph) == {}
