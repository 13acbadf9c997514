"""By which request its work was asked for, and the message that found it. Both have a default in the database too: a
process of the version before, which knows neither, goes on beside this one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0011_fetched")]

    operations = [
        migrations.AddField("report", name, models.CharField(blank=True, default="", db_default="", max_length=40))
        for name in ("request_id", "task_id")
    ]
