"""What waits, what is worked on and the places of a database, found however many are settled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0014_places_filled")]

    operations = [
        migrations.AddIndex(
            "comparison",
            models.Index(fields=["team"], condition=models.Q(state="pending"), name="comparison_waiting"),
        ),
        migrations.AddIndex(
            "comparison",
            models.Index(
                fields=["task_id"], condition=models.Q(lease_until__isnull=False), name="comparison_worked_on"
            ),
        ),
        migrations.AddIndex(
            "comparisonreport", models.Index(fields=["database", "comparison"], name="place_of_database")
        ),
    ]
