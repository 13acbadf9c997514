from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0004_weeks")]

    operations = [
        migrations.AddField(
            model_name="notice", name="change", field=models.CharField(blank=True, default="", max_length=60)
        ),
    ]
