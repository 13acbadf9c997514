"""Reports are held against those of their own kind and length; instances that are silent are known."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("fleet", "0002_digest")]

    operations = [
        migrations.RemoveField("standing", "marks"),
        migrations.AddField("standing", "marked_from", models.CharField(blank=True, default="", max_length=32)),
        migrations.AddField("standing", "silent", models.JSONField(blank=True, default=list)),
        migrations.AddField("departure", "interval", models.CharField(blank=True, default="", max_length=40)),
    ]
