from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0009_ticket")]

    operations = [
        migrations.AddField(
            model_name="actionitem",
            name="ticket_asked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
