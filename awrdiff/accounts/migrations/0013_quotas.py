from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0012_by_groups")]

    operations = [
        migrations.AddField("team", "most_people", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("team", "most_reports", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("team", "most_bytes", models.PositiveBigIntegerField(blank=True, null=True)),
    ]
