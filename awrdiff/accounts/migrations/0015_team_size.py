from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0014_directory_id")]

    operations = [
        migrations.CreateModel(
            name="TeamSize",
            fields=[
                (
                    "team",
                    models.OneToOneField(
                        on_delete=models.deletion.CASCADE,
                        primary_key=True,
                        related_name="size",
                        serialize=False,
                        to="accounts.team",
                    ),
                ),
                ("reports", models.PositiveIntegerField()),
                ("file_bytes", models.PositiveBigIntegerField()),
                ("counted_at", models.DateTimeField()),
            ],
        ),
    ]
