"""Links that show one thing of a team to their holders, for reading or commenting."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from awrdiff.accounts.models import Team
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Incident
from awrdiff.reports.models import Report


class Shows(models.TextChoices):
    COMPARISON = "comparison"
    REPORT = "report"
    INCIDENT = "incident"
    POSTMORTEM = "postmortem", "post-mortem"


HELD_IN = {  # the field that says of which one; a post-mortem is its incident's
    Shows.COMPARISON: "comparison",
    Shows.REPORT: "report",
    Shows.INCIDENT: "incident",
    Shows.POSTMORTEM: "incident",
}


COMMENTED = (Shows.COMPARISON, Shows.INCIDENT)  # what threads are about


def _about_one() -> models.Q:
    """Only the field of the link's subject is set."""
    condition = models.Q()
    for shows, field in HELD_IN.items():
        empty = {f"{other}__isnull": True for other in set(HELD_IN.values()) - {field}}
        condition |= models.Q(shows=shows, **{f"{field}__isnull": False}, **empty)
    return condition


class ShareLink(models.Model):
    """Only the token's hash is stored: the address is shown once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    shows = models.CharField(max_length=12, choices=Shows.choices, default=Shows.COMPARISON)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, null=True, blank=True, related_name="links")
    report = models.ForeignKey(Report, on_delete=models.CASCADE, null=True, blank=True, related_name="links")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, null=True, blank=True, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)  # how often its page was opened
    password = models.CharField(max_length=200, blank=True, default="")  # hashed; "": none
    for_whom = models.CharField(max_length=200, blank=True, default="")  # for the team, never for whoever holds it
    redacted = models.BooleanField(default=False)
    may_comment = models.BooleanField(default=False)
    # What a redacted link shows instead of its `comparison` or `report`; without it such a link shows nothing.
    copy = models.OneToOneField(Comparison, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    report_copy = models.OneToOneField(Report, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    pair = models.PositiveSmallIntegerField(default=0)  # of a comparison: which it opens
    client_key = models.UUIDField(null=True, blank=True)  # of the form that made it: never another

    # What a redacted link to an incident or a post-mortem shows: as it was when somebody looked at the names in it.
    document = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=_about_one(), name="link_about_one_thing"),
            models.UniqueConstraint(fields=["team", "client_key"], name="link_made_once"),
        ]

    def __str__(self) -> str:
        return f"Link to {self.about_id}"

    @property
    def about_id(self) -> uuid.UUID:
        """Id of its subject; for a post-mortem the incident's."""
        pk: uuid.UUID = getattr(self, f"{HELD_IN[Shows(self.shows)]}_id")
        return pk

    @property
    def nameless(self) -> Comparison | Report | None:
        """Copy shown by a redacted link."""
        return self.copy or self.report_copy

    @property
    def is_empty(self) -> bool:
        """True if live but its copy failed."""
        return self.is_live and self.nameless is not None and self.nameless.is_failed

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())
