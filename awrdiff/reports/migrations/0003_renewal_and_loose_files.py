"""What renewal needs, and the files that no report names. What is stored stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0002_parts_and_queue")]

    operations = [
        migrations.AddField("report", "failures", models.PositiveIntegerField(default=0)),
        migrations.AddField("report", "interruptions", models.PositiveIntegerField(default=0)),
        migrations.AddField("report", "renewal_error", models.TextField(blank=True, default="")),
        migrations.AddField("report", "renewal_tried", models.PositiveIntegerField(default=0)),
        migrations.AddField("report", "stored_format", models.PositiveSmallIntegerField(default=1)),
        migrations.CreateModel(
            name="LooseFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("keep_until", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
