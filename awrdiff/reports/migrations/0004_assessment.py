"""The verdict on a report by itself. What is stored gets one when it is renewed, or looked at."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0003_renewal_and_loose_files")]

    operations = [
        migrations.AddField("report", "assessment", models.BinaryField(null=True, blank=True)),
    ]
