from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0013_quotas")]

    operations = [
        migrations.AddField(
            "user",
            "directory_id",
            models.CharField(blank=True, default=None, max_length=255, null=True, unique=True),
        ),
    ]
