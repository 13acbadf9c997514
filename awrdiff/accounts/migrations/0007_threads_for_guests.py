from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_spent")]

    operations = [
        migrations.AddField(
            model_name="team",
            name="threads_for_guests",
            field=models.BooleanField(default=False),
        ),
    ]
