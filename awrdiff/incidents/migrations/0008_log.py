from typing import Any

from django.db import migrations, models


def part(apps: Any, _: object) -> None:
    """What was clicked is told from what happened: of what the system noted, all but the status."""
    noted = apps.get_model("incidents", "TimelineEvent").objects.filter(by_system=True, kind="status")
    happened = models.Q(text__startswith="Status ") | models.Q(text__startswith="Incident opened")
    noted.exclude(happened).update(kind="log")


def join(apps: Any, _: object) -> None:
    apps.get_model("incidents", "TimelineEvent").objects.filter(kind="log").update(kind="status")


class Migration(migrations.Migration):
    dependencies = [("incidents", "0007_changed_at")]

    operations = [
        migrations.AlterField(
            model_name="timelineevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("note", "Note"),
                    ("action", "something done"),
                    ("impact", "impact seen"),
                    ("status", "Status"),
                    ("log", "Log"),
                ],
                default="note",
                max_length=10,
            ),
        ),
        migrations.RunPython(part, join),
    ]
