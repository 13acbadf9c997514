from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from awrdiff.search import name_search


def make(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    name_search.make(editor.connection)


def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    name_search.drop(editor.connection)


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0015_queue"), ("reports", "0014_thinned"), ("search", "0004_tickets")]

    operations = [migrations.RunPython(make, drop)]
