from django.db import migrations, models


class Migration(migrations.Migration):
    """On SQLite a column that may be null is added to the table as it is, and its triggers stay."""

    dependencies = [("search", "0002_what_people_write")]

    operations = [migrations.AddField("indexed", "parts", models.JSONField(null=True))]
