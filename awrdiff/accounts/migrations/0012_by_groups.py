from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0011_shown_names")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="by_groups",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
