"""Lists of many reports are read in the order of an index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0009_metrics")]

    operations = [
        migrations.RemoveIndex("report", "report_of_database"),
        migrations.AddIndex(
            "report", models.Index(fields=["database", "-begin_at", "-created_at", "id"], name="report_of_database")
        ),
        migrations.AddIndex("report", models.Index(fields=["team", "-begin_at", "-created_at"], name="report_latest")),
    ]
