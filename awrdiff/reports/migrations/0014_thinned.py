"""Which reports are what was left of their day. Null and without a default, so that no table is written anew and older
processes go on beside it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0013_queue")]

    operations = [migrations.AddField("report", "thinned_at", models.DateTimeField(blank=True, null=True))]
