"""A few thousand places at a time, so that whoever works meanwhile hardly waits. Ended half-way it begins again."""

from django.db import migrations, models

BATCH = 5_000


def fill(apps, schema_editor):
    places = apps.get_model("comparisons", "ComparisonReport").objects.using(schema_editor.connection.alias)
    reports = apps.get_model("reports", "Report").objects.using(schema_editor.connection.alias)
    own = reports.filter(pk=models.OuterRef("report")).values("database")
    last = places.aggregate(last=models.Max("pk"))["last"] or 0
    for before in range(0, last, BATCH):
        places.filter(pk__gt=before, pk__lte=before + BATCH).update(database=models.Subquery(own))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("comparisons", "0013_places_of_databases")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
