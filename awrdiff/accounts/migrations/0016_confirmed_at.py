from django.db import migrations, models
from django.utils import timezone


def confirm_all(apps, schema_editor):
    """Nobody is shut out by the new version: the days begin with it."""
    apps.get_model("accounts", "Membership").objects.filter(by_groups=True).update(confirmed_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("accounts", "0015_team_size")]

    operations = [
        migrations.AddField("membership", "confirmed_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(confirm_all, migrations.RunPython.noop),
    ]
