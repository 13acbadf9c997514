"""What an older version stored is taken over as it is."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

BEFORE = [("comparisons", "0002_comparisonreport_aspect"), ("reports", "0001_initial")]


def migrate(targets):
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_versions_become_numbers_and_results_stay():
    latest = [key for key in MigrationExecutor(connection).loader.graph.leaf_nodes() if key[0] != "accounts"]
    try:
        apps = migrate(BEFORE)
        team = apps.get_model("accounts", "Team").objects.create(name="Payments")
        report = apps.get_model("reports", "Report").objects.create(
            team_id=team.pk, name="a.html", size=1, sha256="0", file="reports/1/00/00", state="ready", parser_version=5
        )
        comparisons = apps.get_model("comparisons", "Comparison").objects
        for words in ("5.6", "10.12", "", "odd"):
            made = comparisons.create(team_id=team.pk, title=words, state="ready", engine_version=words, overview=b"x")
            apps.get_model("comparisons", "ComparisonReport").objects.create(
                comparison=made, report_id=report.pk, position=0
            )
        apps = migrate(latest)
        found = apps.get_model("comparisons", "Comparison").objects
        assert dict(found.values_list("title", "engine_version")) == {"5.6": 5006, "10.12": 10012, "": 0, "odd": 0}
        assert {(c.state, bytes(c.overview), c.stored_format, c.failures) for c in found.all()} == {
            ("ready", b"x", 1, 0)
        }
        kept = apps.get_model("reports", "Report").objects.get()
        assert (kept.file, kept.parser_version, kept.stored_format) == ("reports/1/00/00", 5, 1)
        apps = migrate(BEFORE)
        words = apps.get_model("comparisons", "Comparison").objects.values_list("engine_version", flat=True)
        assert set(words) == {"5.6", "10.12", ""}
    finally:
        migrate(latest)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_whoever_was_on_a_team_first_owns_it_and_nobody_is_lost():
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        apps = migrate([("accounts", "0002_failed_sign_ins")])
        teams, users = (apps.get_model("accounts", name).objects for name in ("Team", "User"))
        for team, names in {"Payments": ("olivia", "carl"), "Local": ("local",), "Empty": ()}.items():
            made = teams.create(name=team)
            for name in names:
                user, _ = users.get_or_create(username=name, defaults={"password": f"hash of {name}"})
                apps.get_model("accounts", "Membership").objects.create(team=made, user=user)
        apps.get_model("accounts", "Membership").objects.create(team=made, user=users.get(username="carl"))
        apps = migrate(latest)
        found = apps.get_model("accounts", "Membership").objects.values_list("team__name", "user__username", "role")
        assert sorted(found) == [
            ("Empty", "carl", "owner"),
            ("Local", "local", "owner"),
            ("Payments", "carl", "member"),
            ("Payments", "olivia", "owner"),
        ]
        assert apps.get_model("accounts", "User").objects.get(username="carl").password == "hash of carl"
        assert not apps.get_model("accounts", "PeopleSignIn").objects.exists()
    finally:
        migrate(latest)


def test_together_they_make_what_the_models_say(settings):
    """The fast tests make their tables from the models."""
    settings.MIGRATION_MODULES = {}
    migrations = MigrationLoader(None)
    assert len(migrations.disk_migrations) > 50
    detector = MigrationAutodetector(migrations.project_state(), ProjectState.from_apps(apps))
    assert detector.changes(graph=migrations.graph) == {}
