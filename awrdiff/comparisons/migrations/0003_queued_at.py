from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0002_comparisonreport_aspect"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="queued_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
