from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0014_story")]

    operations = [
        migrations.AddField("incident", name, models.DateTimeField(blank=True, null=True))
        for name in ("impact_at", "detected_at", "mitigated_at", "resolved_at")
    ]
