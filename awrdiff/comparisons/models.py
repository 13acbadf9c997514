"""Comparisons of two or more reports, stored by section."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Membership, Team
from awrdiff.analysis import ENGINE_VERSION
from awrdiff.analysis.export import comparison_json
from awrdiff.databases.models import Database
from awrdiff.processing.models import State, Work
from awrdiff.reports import parser_version as parser_versions
from awrdiff.reports.models import Report

REVERSE = 100  # the first pair reversed; more than a comparison takes reports


class Comparison(Work):
    """`overview`: everything but sections, packed per pair.

    `chosen_from`: original of this unlisted view of other parts. `both_ways`: first pair also reversed. `copy_of`:
    original of this redacted copy.
    """

    version_field = "engine_version"
    readable_formats = frozenset({comparison_json.FORMAT})

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    title = models.CharField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="")
    left_out = models.TextField(blank=True, default="")  # files given with the reports that are none, in a sentence
    reports: models.ManyToManyField[Report, ComparisonReport] = models.ManyToManyField(
        Report, through="ComparisonReport", related_name="comparisons"
    )
    order_by_time = models.BooleanField(default=False)  # earliest report first, once all are read
    provisional = models.BooleanField(default=False)  # see provisional.py
    both_ways = models.BooleanField(default=False)
    chosen_from: models.ForeignKey[Any, Any] = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="views"
    )
    copy_of: models.ForeignKey[Any, Any] = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="copies"
    )
    engine_version = models.PositiveIntegerField(default=0)  # of parsers and engine; see `version_number`
    overview = models.BinaryField(default=b"", blank=True)
    is_demo = models.BooleanField(default=False)
    demo_slug = models.CharField(max_length=80, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [
            models.Index(fields=["team", "-created_at"], name="comparison_recent"),
            models.Index(fields=["state", "due_at"], name="comparison_due"),
            models.Index(fields=["team"], condition=models.Q(state=State.PENDING), name="comparison_waiting"),
            models.Index(
                fields=["task_id"], condition=models.Q(lease_until__isnull=False), name="comparison_worked_on"
            ),
            models.Index(
                fields=["team", "-created_at"],
                condition=models.Q(is_demo=False, chosen_from=None),
                name="comparison_own",
            ),
            models.Index(fields=["team"], condition=models.Q(is_demo=True), name="comparison_demos"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "demo_slug"], condition=~models.Q(demo_slug=""), name="comparison_demo_once"
            )
        ]

    def __str__(self) -> str:
        return self.title or f"Comparison {self.pk}"


class FormerComparison(models.Model):
    """Id of a reversed comparison before 1.1: its addresses lead to `pair`."""

    id = models.UUIDField(primary_key=True, editable=False)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="former")
    pair = models.PositiveSmallIntegerField(default=REVERSE)  # 0: its reports had the same order

    def __str__(self) -> str:
        return f"{self.id} is {self.comparison_id}"


class ComparisonReport(models.Model):
    """Report's place; 0 is first (baseline). A file may occur twice.

    `aspect`: "" for all, `instance:2` of a global report, `first` or `second` period of an Oracle compare report.
    `database` repeats the report's for lists.
    """

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="places")
    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="places")
    position = models.PositiveSmallIntegerField()
    aspect = models.CharField(max_length=20, blank=True, default="")
    database: models.ForeignKey[Any, Any] = models.ForeignKey(
        Database, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )

    class Meta:
        ordering = ["position"]
        indexes = [models.Index(fields=["database", "comparison"], name="place_of_database")]

    def __str__(self) -> str:
        return f"{self.position}: {self.report_id}"

    @property
    def kind(self) -> str:
        """ "" while unread."""
        return self.report.kind


class ShownComparison(models.Model):
    """Comparison that a guest may read; they see no other."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="shown")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="shown")
    shown_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comparison", "membership"], name="shown_once")]

    def __str__(self) -> str:
        return f"{self.comparison_id} for {self.membership_id}"


class ComparisonSection(models.Model):
    """Section of a pair.

    `row_text`: a lower-case line per row, for filters.
    """

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="sections")
    pair = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField()
    section_id = models.CharField(max_length=120)
    title = models.CharField(max_length=255)
    known = models.BooleanField(default=True)
    family = models.CharField(max_length=20, blank=True, default="")
    rows = models.PositiveIntegerField()
    changed = models.PositiveIntegerField()
    first_present = models.BooleanField()
    second_present = models.BooleanField()
    row_text = models.TextField(blank=True, default="")
    payload = models.BinaryField()

    class Meta:
        ordering = ["pair", "position"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "pair", "section_id"], name="compared_section_once")
        ]

    def __str__(self) -> str:
        return self.title


class ArrivalRule(models.Model):
    """New reports are compared with their hour, these people notified."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="arrival_rule")
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="arrival_rules")
    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.team_id} since {self.since}"


class Arrival(models.Model):
    """Report examined on arrival. `comparison`: null if too few or within."""

    report = models.OneToOneField(Report, on_delete=models.CASCADE, related_name="arrival")
    comparison = models.ForeignKey(Comparison, on_delete=models.SET_NULL, null=True, related_name="arrivals")

    def __str__(self) -> str:
        return str(self.report_id)


# Version of a stored comparison: one number growing with parsers' and engine's.
_ENGINES = 1000  # more than the engine will ever have


def version_number(parser: int, engine: int) -> int:
    return parser * _ENGINES + engine


def version_in_words(version: int) -> str:
    """5006 is “5.6”: parsers 5, engine 6."""
    return "{}.{}".format(*divmod(version, _ENGINES))


def current_version() -> int:
    """Version made from up-to-date reports."""
    return version_number(parser_versions.PARSER_VERSION, ENGINE_VERSION)


def version_made_of(compared: Iterable[Report]) -> int:
    """Unrenewable old reports (file gone) do not count."""
    mine = parser_versions.PARSER_VERSION
    parser = min(mine if r.renewal_tried >= mine else min(r.parser_version, mine) for r in compared)
    return version_number(parser, ENGINE_VERSION)
