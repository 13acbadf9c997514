"""A place repeats which database its report is of. It may be null, so no database writes its rows anew for it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("databases", "0001_databases"),
        ("reports", "0008_databases"),
        ("comparisons", "0012_followed"),
    ]

    operations = [
        migrations.AddField(
            "comparisonreport",
            "database",
            models.ForeignKey(
                "databases.database",
                django.db.models.deletion.SET_NULL,
                null=True,
                blank=True,
                db_index=False,
                related_name="+",
            ),
        ),
    ]
