"""A pair tells which way round it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0017_stored_once"), ("pins", "0002_pinned_against_a_baseline")]

    operations = [migrations.RemoveField("pin", "swapped")]
