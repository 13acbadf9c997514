"""How far reports lie from what is normal. The sweeper measures those that are there, database by database."""

import django.db.models.deletion
from django.db import migrations, models

CASCADE = django.db.models.deletion.CASCADE


def of_one(model: str, name: str) -> models.OneToOneField:
    return models.OneToOneField(model, CASCADE, primary_key=True, related_name=name, serialize=False)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("databases", "0001_databases"), ("reports", "0010_lists")]

    operations = [
        migrations.CreateModel(
            "Standing",
            [
                ("database", of_one("databases.database", "standing")),
                ("version", models.PositiveIntegerField(default=0)),
                ("due_from", models.CharField(blank=True, default="", max_length=32)),
                ("marks", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("release", models.CharField(blank=True, default="", max_length=40)),
                ("last_end", models.CharField(blank=True, default="", max_length=32)),
                ("came_at", models.DateTimeField(blank=True, null=True)),
                ("every_s", models.FloatField(blank=True, null=True)),
                ("patience_s", models.FloatField(blank=True, null=True)),
            ],
            options={
                "indexes": [models.Index(condition=~models.Q(due_from=""), fields=["due_from"], name="standing_due")]
            },
        ),
        migrations.CreateModel(
            "Departure",
            [
                ("report", of_one("reports.report", "departure")),
                (
                    "database",
                    models.ForeignKey("databases.database", CASCADE, db_index=False, related_name="departures"),
                ),
                ("instance", models.CharField(blank=True, default="", max_length=140)),
                ("begin_at", models.CharField(max_length=32)),
                ("end_at", models.CharField(blank=True, default="", max_length=32)),
                ("era", models.CharField(max_length=16)),
                ("sessions", models.FloatField(null=True)),
                ("half", models.FloatField(default=0.0)),
                ("normal", models.FloatField(null=True)),
                ("deviation", models.FloatField(null=True)),
                ("of", models.PositiveIntegerField(default=0)),
                ("by", models.CharField(blank=True, default="", max_length=20)),
                ("above", models.FloatField(null=True)),
                ("is_alarm", models.BooleanField(default=False)),
                ("nearest", models.UUIDField(null=True)),
                ("parts", models.JSONField(default=list)),
            ],
            options={"indexes": [models.Index(fields=["database", "begin_at"], name="departure_of_database")]},
        ),
    ]
