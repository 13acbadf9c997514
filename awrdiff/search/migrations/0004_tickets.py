from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from awrdiff.search import index_triggers


def make(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Anew: incidents are found by their tickets too."""
    index_triggers.drop(editor.connection)
    index_triggers.make(editor.connection)


def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    index_triggers.drop(editor.connection)


class Migration(migrations.Migration):
    dependencies = [("incidents", "0009_ticket"), ("search", "0003_parts")]

    operations = [migrations.RunPython(make, drop)]
