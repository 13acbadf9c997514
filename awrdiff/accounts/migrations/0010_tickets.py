from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0009_api_tokens")]

    operations = [
        migrations.AddField(
            model_name="team",
            name="ticket_pattern",
            field=models.CharField(blank=True, default="", max_length=300),
        ),
    ]
