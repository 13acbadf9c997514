from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0007_copies_without_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="provisional",
            field=models.BooleanField(default=False),
        ),
    ]
