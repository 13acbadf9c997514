from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0003_tickets_asked")]

    operations = [
        migrations.AddField(
            model_name="noticechoice",
            name="weekly",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="noticechoice",
            name="last_week_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
