from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparisonreport",
            name="aspect",
            field=models.CharField(blank=True, default="", max_length=20),
        ),
    ]
