"""The metrics of each read report. The sweeper makes those of older reports, some at a time.

The new column may be null, so no database writes its rows anew for it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0008_databases")]

    operations = [
        migrations.CreateModel(
            "ReportMetrics",
            [
                (
                    "report",
                    models.OneToOneField(
                        "reports.report",
                        django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        related_name="metrics",
                    ),
                ),
                ("era", models.CharField(max_length=16)),
                ("figures", models.BinaryField()),
                ("largest", models.BinaryField()),
            ],
        ),
        migrations.AddField("report", "metrics_version", models.PositiveSmallIntegerField(null=True, blank=True)),
        migrations.AddIndex("report", models.Index(fields=["metrics_version"], name="report_metrics_version")),
    ]
