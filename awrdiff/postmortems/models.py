"""The post-mortem of an incident: a document of sections, every version there ever was of it, and who was asked to read
it. Which sections a new one has is a team's template."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.checklists import ticked_by
from awrdiff.postmortems.sections import SectionKind, kinds_of, section_of


class Change(models.TextChoices):
    """How a version came about."""

    DRAFTED = "drafted"
    EDITED = "edited"
    RESTORED = "restored"
    REVIEWED = "reviewed"
    REOPENED = "reopened", "opened again"


class Template(models.Model):
    """The sections of post-mortems that a team begins from now on, as its owners have set them (`stored` in
    sections.py). `version` counts the changes."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="postmortem_template")
    sections: models.JSONField[Any, Any] = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return f"Template of {self.team_id}"


class Postmortem(models.Model):
    """One of an incident. `version` is the number of its last version; reviewed it is frozen. `template`: the sections
    it was begun with, which it keeps; empty: the default of before teams had templates."""

    template: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    incident = models.OneToOneField(Incident, on_delete=models.CASCADE, related_name="postmortem")
    version = models.PositiveIntegerField(default=0)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Post-mortem of {self.incident_id}"

    @property
    def is_frozen(self) -> bool:
        return self.reviewed_at is not None

    @property
    def kinds(self) -> tuple[SectionKind, ...]:
        return kinds_of(self.template)

    def kind_of(self, key: str) -> SectionKind:
        """Raises NotFound."""
        return section_of(self.kinds, key)


class PostmortemSection(models.Model):
    """What a section says now, as Markdown. `number` is the version that wrote it; `drafted` what the last draft said,
    which it still says unless `by_hand`. `ticks`: of the lines of its checklist that are ticked, who ticked them when
    (checklists.py)."""

    postmortem = models.ForeignKey(Postmortem, on_delete=models.CASCADE, related_name="sections")
    key = models.CharField(max_length=20)
    text = models.TextField(blank=True, default="")
    drafted = models.TextField(blank=True, default="")
    number = models.PositiveIntegerField(default=0)
    by_hand = models.BooleanField(default=False)
    ticks: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)  # null: its table has triggers

    class Meta:
        constraints = [models.UniqueConstraint(fields=["postmortem", "key"], name="postmortem_section_once")]

    def __str__(self) -> str:
        return self.key

    @property
    def title(self) -> str:
        return self.postmortem.kind_of(self.key).title

    def say(self, text: str, number: int, user: int | None, at: datetime, *, by_hand: bool) -> None:
        """As version `number` has it. Not saved yet."""
        self.ticks = ticked_by(self.ticks or {}, self.text, text, user, at)
        self.text, self.number, self.by_hand = text, number, by_hand


class PostmortemVersion(models.Model):
    """A change that was made, never changed itself: `section` then said `text`.

    Of the whole document, with no section, are its reviews, whose `live` holds the tables of the incident as they were
    by section (see live.py), and that it was opened again, with the `reason`. `of` is the number that was restored.
    """

    postmortem = models.ForeignKey(Postmortem, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Change.choices)
    section = models.CharField(max_length=20, blank=True, default="")
    text = models.TextField(blank=True, default="")
    by_hand = models.BooleanField(default=False)
    live: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    of = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["postmortem", "number"], name="postmortem_version_once")]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind} {self.section}"


class Answer(models.TextChoices):
    ASKED = "asked"
    SIGNED = "signed", "signed off"
    CHANGES = "changes", "asks for changes"


class SecondReview(models.Model):
    """`reviewer` was asked to read it before it is reviewed, and what they answered; `is_current` the last time that
    they were asked of this edition.

    `number` is the version they read, `digest` of all that it said (digest.py), so that a change afterwards shows.
    """

    postmortem = models.ForeignKey(Postmortem, on_delete=models.CASCADE, related_name="second_reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    answer = models.CharField(max_length=10, choices=Answer.choices, default=Answer.ASKED)
    number = models.PositiveIntegerField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True, default="")
    why = models.CharField(max_length=500, blank=True, default="")
    answered_at = models.DateTimeField(null=True, blank=True)
    is_current = models.BooleanField(default=True)

    class Meta:
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["postmortem", "reviewer"],
                condition=models.Q(is_current=True),
                name="one_current_second_review",
            )
        ]

    def __str__(self) -> str:
        return f"{self.answer}: {self.reviewer_id}"
