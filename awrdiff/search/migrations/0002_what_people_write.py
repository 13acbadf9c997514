import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from awrdiff.search import index_triggers, word_search


def make(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """What people write is taken in by 0004: a column that it is found by is made later than this."""
    word_search.make(editor.connection)  # where the table was made anew, its triggers are gone


def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    index_triggers.drop(editor.connection)
    with editor.connection.cursor() as cursor:
        cursor.execute("DELETE FROM search_indexed WHERE comparison_id IS NULL")


def one_of(model: str) -> models.OneToOneField:
    return models.OneToOneField(
        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="indexed", to=model
    )


class Migration(migrations.Migration):
    dependencies = [
        ("comparisons", "0009_chosen_from"),
        ("incidents", "0005_the_incidents_hour"),
        ("postmortems", "0001_postmortems"),
        ("search", "0001_initial"),
        ("threads", "0004_for_guests"),
    ]

    operations = [
        migrations.AlterField("indexed", "comparison", one_of("comparisons.comparison")),
        migrations.AddField("indexed", "incident", one_of("incidents.incident")),
        migrations.AddField("indexed", "event", one_of("incidents.timelineevent")),
        migrations.AddField("indexed", "action", one_of("incidents.actionitem")),
        migrations.AddField("indexed", "evidence", one_of("incidents.evidence")),
        migrations.AddField("indexed", "verdict", one_of("incidents.verdict")),
        migrations.AddField("indexed", "comment", one_of("threads.comment")),
        migrations.AddField("indexed", "section", one_of("postmortems.postmortemsection")),
        migrations.RunPython(make, drop),
    ]
