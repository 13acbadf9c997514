from typing import Any

from django.db import migrations, models


def read_again(apps: Any, _: object) -> None:
    """Which hour the comparison suggests is read when the incident is opened next: here no stored result is touched."""
    apps.get_model("incidents", "IncidentComparison").objects.update(told_of="")


class Migration(migrations.Migration):
    dependencies = [("incidents", "0004_notes_of_comparisons")]

    operations = [
        migrations.AddField(
            model_name="incidentcomparison",
            name="bad",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="incidentcomparison",
            name="bad_chosen",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="incidentreport",
            name="bad",
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.RunPython(read_again, migrations.RunPython.noop),
    ]
