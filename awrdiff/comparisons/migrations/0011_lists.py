"""The team's own comparisons, and the demos, are found without looking at all others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0010_arrivals")]

    operations = [
        migrations.AddIndex(
            "comparison",
            models.Index(
                fields=["team", "-created_at"],
                condition=models.Q(is_demo=False, mirror_of=None, chosen_from=None),
                name="comparison_own",
            ),
        ),
        migrations.AddIndex(
            "comparison", models.Index(fields=["team"], condition=models.Q(is_demo=True), name="comparison_demos")
        ),
    ]
