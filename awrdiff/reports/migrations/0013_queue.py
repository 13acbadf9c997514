"""What waits and what is being read, found however many are settled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0012_followed")]

    operations = [
        migrations.AddIndex(
            "report",
            models.Index(
                fields=["team", "in_bulk", "size", "queued_at", "id"],
                condition=models.Q(state="pending"),
                name="report_waiting",
            ),
        ),
        migrations.AddIndex(
            "report",
            models.Index(
                fields=["team", "in_bulk", "queued_at"], condition=models.Q(state="pending"), name="report_patient"
            ),
        ),
        migrations.AddIndex(
            "report",
            models.Index(fields=["team", "in_bulk"], condition=models.Q(state="running"), name="report_running"),
        ),
        migrations.AddIndex(
            "report",
            models.Index(fields=["task_id"], condition=models.Q(lease_until__isnull=False), name="report_worked_on"),
        ),
    ]
