"""Numbers that /metrics answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("processing", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
                ("labels", models.CharField(max_length=300)),
                ("amount", models.FloatField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "labels"), name="one_tally_per_series")],
            },
        ),
    ]
