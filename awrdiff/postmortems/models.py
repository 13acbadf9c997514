"""Post-mortems of incidents: sections, versions, second reviews, team templates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.markdown import ticked_by
from awrdiff.postmortems.sections import SectionKind, kinds_of, section_of


class Change(models.TextChoices):
    """Origin of a version."""

    DRAFTED = "drafted"
    EDITED = "edited"
    RESTORED = "restored"
    REVIEWED = "reviewed"
    REOPENED = "reopened", "opened again"


class Template(models.Model):
    """Sections of new post-mortems (sections.py). `version` counts changes."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="postmortem_template")
    sections: models.JSONField[Any, Any] = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return f"Template of {self.team_id}"


class Postmortem(models.Model):
    """`version`: latest; frozen once reviewed. `template`: original sections, empty for the former default."""

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
    """`number`: version that wrote it; `drafted`: last draft. `ticks`: author and time by line (markdown.py)."""

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
        """Unsaved."""
        self.ticks = ticked_by(self.ticks or {}, self.text, text, user, at)
        self.text, self.number, self.by_hand = text, number, by_hand


class PostmortemVersion(models.Model):
    """Immutable change: `section` then had `text`.

    Without section: a review, whose `live` has tables by section (sections.py), or a reopening with `reason`. `of`:
    number restored.
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
    PENDING = "asked", "Asked"
    SIGNED = "signed", "signed off"
    CHANGES = "changes", "asks for changes"


class SecondReview(models.Model):
    """Request to `reviewer` and answer; `is_current`: last of this edition.

    `number`: version read; `digest` of its content, which reveals later changes.
    """

    postmortem = models.ForeignKey(Postmortem, on_delete=models.CASCADE, related_name="second_reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    answer = models.CharField(max_length=10, choices=Answer.choices, default=Answer.PENDING)
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
