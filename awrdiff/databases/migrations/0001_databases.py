"""Databases of a team. Which reports are of which is filled in by the sweeper, batch by batch, while the site serves."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

SET_NULL, CASCADE = django.db.models.deletion.SET_NULL, django.db.models.deletion.CASCADE


class Migration(migrations.Migration):
    initial = True

    dependencies = [("accounts", "0010_tickets")]

    operations = [
        migrations.CreateModel(
            "Database",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("dbid", models.CharField(blank=True, default="", max_length=40)),
                ("name", models.CharField(blank=True, default="", max_length=128)),
                ("tags", models.JSONField(blank=True, default=list)),
                ("zone", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "merged_into",
                    models.ForeignKey("databases.database", SET_NULL, null=True, blank=True, related_name="merged"),
                ),
                ("team", models.ForeignKey("accounts.team", CASCADE, related_name="databases")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=["team", "uid"], name="database_uid_once")]},
        ),
        migrations.CreateModel(
            "DatabaseIdentity",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("dbid", models.CharField(blank=True, max_length=40)),
                ("name", models.CharField(blank=True, max_length=128)),
                ("host", models.CharField(blank=True, max_length=255)),
                ("by_hand", models.BooleanField(default=False)),
                ("database", models.ForeignKey("databases.database", CASCADE, related_name="identities")),
                (
                    "came_from",
                    models.ForeignKey("databases.database", SET_NULL, null=True, blank=True, related_name="+"),
                ),
                ("team", models.ForeignKey("accounts.team", CASCADE, related_name="+")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["team", "dbid", "name", "host"], name="database_identity_once")
                ],
                "indexes": [models.Index(fields=["team", "name"], name="database_by_name")],
            },
        ),
    ]
