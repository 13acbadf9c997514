from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_tickets")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="shown_name",
            field=models.CharField(blank=True, default="", max_length=60),
        ),
        migrations.AddField(
            model_name="user",
            name="earlier_names",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
