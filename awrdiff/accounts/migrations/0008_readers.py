from django.db import migrations, models

ROLES = [("owner", "Owner"), ("member", "Member"), ("reader", "Reader"), ("guest", "Guest")]


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_threads_for_guests")]

    operations = [
        migrations.AlterField(
            model_name=name,
            name="role",
            field=models.CharField(choices=ROLES, default="member", max_length=10),
        )
        for name in ("membership", "invitation")
    ]
