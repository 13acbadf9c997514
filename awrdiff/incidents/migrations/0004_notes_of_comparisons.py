from datetime import timedelta
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

AT_ONCE = timedelta(seconds=5)


def tie(apps: Any, _: object) -> None:
    """What was noted when a comparison was attached that still is: noted in the same transaction."""
    events = apps.get_model("incidents", "TimelineEvent").objects
    for one in apps.get_model("incidents", "IncidentComparison").objects.iterator():
        noted = events.filter(incident=one.incident_id, by_system=True, comparison=None)
        noted = noted.filter(text__startswith="Comparison attached: ", user=one.attached_by_id)
        first = noted.filter(at__gte=one.attached_at, at__lt=one.attached_at + AT_ONCE).order_by("at", "pk").first()
        if first is not None:
            events.filter(pk=first.pk).update(comparison=one.comparison_id)


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0007_copies_without_names"),
        ("incidents", "0003_evidence_against_a_baseline"),
    ]

    operations = [
        migrations.AddField(
            model_name="timelineevent",
            name="comparison",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="comparisons.comparison",
            ),
        ),
        migrations.RunPython(tie, migrations.RunPython.noop),
    ]
