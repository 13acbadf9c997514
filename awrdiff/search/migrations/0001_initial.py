import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from awrdiff.search import word_search


def make(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    word_search.make(editor.connection)


def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    word_search.drop(editor.connection)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("comparisons", "0008_provisional")]

    operations = [
        migrations.CreateModel(
            name="Indexed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line", models.CharField(blank=True, default="", max_length=300)),
                ("text", models.TextField(blank=True, default="")),
                ("version", models.PositiveSmallIntegerField()),
                (
                    "comparison",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="indexed",
                        to="comparisons.comparison",
                    ),
                ),
            ],
        ),
        migrations.RunPython(make, drop),
    ]
