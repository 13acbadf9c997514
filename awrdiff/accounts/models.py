"""Users, teams and memberships. Every other row belongs to a team."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone

LONGEST_SHOWN_NAME = 60


class Role(models.TextChoices):
    """Role on a team (access.py)."""

    OWNER = "owner"
    MEMBER = "member"
    READER = "reader"
    GUEST = "guest"


class Team(models.Model):
    name = models.CharField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    threads_for_guests = models.BooleanField(default=False)  # those that members begin, unless they say otherwise
    ticket_pattern = models.CharField(max_length=300, blank=True, default="")  # see ticket_references.py
    second_factor_required = models.BooleanField(default=False, db_default=False)  # of its people: access.py
    # The most that it may have, as a server administrator says (quotas.py); null: as much as there is room for.
    most_people = models.PositiveIntegerField(null=True, blank=True)
    most_reports = models.PositiveIntegerField(null=True, blank=True)
    most_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    # A team without people: what redacted links of the other one show. Nothing in it is ever found by a member.
    copies_of: models.OneToOneField[Any, Any] = models.OneToOneField(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="copies"
    )
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        "User", through="Membership", related_name="teams"
    )

    def __str__(self) -> str:
        return self.name


class TeamSize(models.Model):
    """Size last counted by the sweeper (quotas.py): uploaded reports, bytes of all files."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, primary_key=True, related_name="size")
    reports = models.PositiveIntegerField()
    file_bytes = models.PositiveBigIntegerField()
    counted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.reports} reports of {self.team_id}"


class User(AbstractUser):
    """`shown_name` "": the username is shown (display_names.py). `is_staff`: server administrator. `directory_id`:
    stable id in the directory.
    """

    shown_name = models.CharField(max_length=LONGEST_SHOWN_NAME, blank=True, default="")
    directory_id = models.CharField(max_length=255, null=True, blank=True, unique=True, default=None)
    earlier_names: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    by_groups = models.BooleanField(default=False, db_default=False)  # not given by hand (identity_provider_groups.py)
    confirmed_at = models.DateTimeField(
        null=True, blank=True
    )  # when a sign-in last told the groups (services.py: lapsed)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(models.Model):
    """Single-use, temporary; only the token's hash is stored.

    `takes_over`: for the server's operator, without `email`, to inherit the local user's team. `was_mailed`: only that
    address got the token.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    token_hash = models.CharField(max_length=64, unique=True)
    takes_over = models.BooleanField(default=False)
    was_mailed = models.BooleanField(default=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"Invitation of {self.email or 'whoever runs the server'} to {self.team_id}"

    @property
    def is_live(self) -> bool:
        return self.used_at is None and self.revoked_at is None and self.expires_at > timezone.now()


class ApiToken(models.Model):
    """Machine's token to act as `user`; a service's user cannot sign in."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="tokens")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    is_service = models.BooleanField(default=False)
    name = models.CharField(max_length=60)
    scopes: models.JSONField[Any, Any] = models.JSONField(default=list)  # of access.py
    token_hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    provider_factor = models.BooleanField(default=False, db_default=False)  # of the sign-in that made it

    def __str__(self) -> str:
        return f"Token {self.name} of {self.user_id} in {self.team_id}"


class PeopleSignIn(models.Model):
    """One row once everybody must sign in; `team` was the local user's."""

    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True)
    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"People sign in since {self.since:%Y-%m-%d}"


class Spent(models.Model):
    """Recent failures or changes (rate_limits.py); the key is a hash of kind and name, address, browser or person."""

    key = models.CharField(max_length=64, primary_key=True)
    times = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.times} until {self.last_at}"
