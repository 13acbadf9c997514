"""Whether a report came with so many others that nobody waits for this one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0006_report_traces")]

    operations = [migrations.AddField("report", "in_bulk", models.BooleanField(default=False))]
