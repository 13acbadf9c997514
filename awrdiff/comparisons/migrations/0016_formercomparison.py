"""Ids that comparisons of two had the other way round, and which are computed both ways."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0015_queue")]

    operations = [
        migrations.AddField("comparison", "both_ways", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="FormerComparison",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                (
                    "comparison",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="former", to="comparisons.comparison"
                    ),
                ),
                ("pair", models.PositiveSmallIntegerField(default=100)),
            ],
        ),
    ]
