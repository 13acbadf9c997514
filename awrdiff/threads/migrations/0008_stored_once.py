"""A pair tells which way round it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0017_stored_once"), ("threads", "0007_attachments")]

    operations = [migrations.RemoveField("thread", "swapped")]
