"""The pair that a link to a comparison opens."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sharing", "0007_made_once")]

    operations = [migrations.AddField("sharelink", "pair", models.PositiveSmallIntegerField(default=0))]
