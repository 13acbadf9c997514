"""Which hours of old days a team keeps: all of them until its owners choose."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0011_shown_names"), ("fleet", "0003_intervals"), ("reports", "0014_thinned")]

    operations = [
        migrations.CreateModel(
            "Thinning",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("after_days", models.PositiveSmallIntegerField()),
                ("hours", models.PositiveSmallIntegerField()),
                ("next_at", models.DateTimeField()),
                ("reached", models.BigIntegerField(default=0)),
                ("removed", models.PositiveIntegerField(default=0)),
                ("removed_bytes", models.PositiveBigIntegerField(default=0)),
                (
                    "team",
                    models.OneToOneField("accounts.team", django.db.models.deletion.CASCADE, related_name="thinning"),
                ),
            ],
        ),
    ]
