from typing import Any

from django.db import migrations, models


def forget(apps: Any, _: object) -> None:
    """Every thread of before is the team's alone: guests have no notice of one, nor gets one out."""
    guests = apps.get_model("accounts", "Membership").objects.filter(role="guest")
    notices = apps.get_model("notices", "Notice").objects.filter(kind="comparison", place__contains="#thread=")
    for team, user in guests.values_list("team", "user"):
        notices.filter(team=team, user=user).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_threads_for_guests"),
        ("notices", "0001_notices"),
        ("threads", "0003_about_incidents"),
    ]

    operations = [
        migrations.AddField(
            model_name="thread",
            name="for_guests",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
