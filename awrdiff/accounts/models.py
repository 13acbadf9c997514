"""Who there is: users, teams and who belongs to which. Every other row of the project belongs to a team."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class Team(models.Model):
    name = models.CharField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        "User", through="Membership", related_name="teams"
    )

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """Django's user under the project's own name, so that it can grow."""


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class FailedSignIns(models.Model):
    """How often signing in failed of late, by name, address or browser; the key is a hash of which."""

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.failures} until {self.last_at}"
