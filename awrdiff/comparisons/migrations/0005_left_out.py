from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0004_renewal"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="left_out",
            field=models.TextField(blank=True, default=""),
        ),
    ]
