from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0013_one_judgement_of_each")]

    operations = [
        migrations.AddField("incidentcomparison", "story", models.JSONField(blank=True, default=dict)),
        migrations.AddField("incidentreport", "story", models.JSONField(blank=True, default=dict)),
        migrations.AddField("incidentreport", "story_of", models.CharField(blank=True, default="", max_length=80)),
    ]
