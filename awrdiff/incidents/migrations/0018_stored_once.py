"""A pair tells which way round it is."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0017_stored_once"),
        ("incidents", "0017_channel"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint("evidence", "evidence_once"),
        migrations.RemoveConstraint("verdict", "one_current_judgement"),
        migrations.RemoveField("evidence", "swapped"),
        migrations.RemoveField("verdict", "swapped"),
        migrations.AddConstraint(
            "evidence",
            models.UniqueConstraint(
                fields=["incident", "comparison", "pair", "baseline", "anchor"], name="evidence_once"
            ),
        ),
        migrations.AddConstraint(
            "verdict",
            models.UniqueConstraint(
                fields=["comparison", "pair", "anchor", "user"],
                condition=models.Q(is_current=True),
                name="one_current_judgement",
            ),
        ),
    ]
