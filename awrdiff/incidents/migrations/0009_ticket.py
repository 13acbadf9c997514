from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0008_log")]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="ticket",
            field=models.CharField(blank=True, default="", max_length=500),
        ),
    ]
