"""What stood beside its original is in it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0017_stored_once")]

    operations = [
        migrations.RemoveIndex("comparison", "comparison_own"),
        migrations.RemoveField("comparison", "mirror_of"),
        migrations.AddIndex(
            "comparison",
            models.Index(
                fields=["team", "-created_at"],
                condition=models.Q(is_demo=False, chosen_from=None),
                name="comparison_own",
            ),
        ),
    ]
