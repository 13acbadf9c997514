"""When a team is told each day what changed most in its databases: off until its owners choose an hour."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_tickets"), ("fleet", "0001_departures")]

    operations = [
        migrations.CreateModel(
            "Digest",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at_hour", models.PositiveSmallIntegerField()),
                ("zone", models.CharField(blank=True, default="", max_length=64)),
                ("told_on", models.DateField(blank=True, null=True)),
                (
                    "team",
                    models.OneToOneField(
                        "accounts.team", django.db.models.deletion.CASCADE, related_name="night_digest"
                    ),
                ),
            ],
        ),
    ]
