"""Ids that comparisons of two had the other way round."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0015_queue")]

    operations = [
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
            ],
        ),
    ]
