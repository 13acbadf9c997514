"""The database a report is of: null until the sweeper has looked for it, which takes a moment for each thousand.

Both columns may be null, so no database writes its rows anew for them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("databases", "0001_databases"), ("reports", "0007_in_bulk")]

    operations = [
        migrations.AddField(
            "report",
            "database",
            models.ForeignKey(
                "databases.database",
                django.db.models.deletion.SET_NULL,
                null=True,
                blank=True,
                db_index=False,
                related_name="reports",
            ),
        ),
        migrations.AddField("report", "placed_at", models.DateTimeField(null=True, blank=True)),
        migrations.AddIndex(
            "report", models.Index(fields=["database", "-begin_at", "-created_at"], name="report_of_database")
        ),
        migrations.AddIndex("report", models.Index(fields=["database", "-created_at"], name="report_of_database_made")),
        migrations.AddIndex(
            "report",
            models.Index(fields=["created_at"], condition=models.Q(placed_at=None), name="report_unplaced"),
        ),
    ]
