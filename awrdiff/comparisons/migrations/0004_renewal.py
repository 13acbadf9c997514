"""What renewal needs. Versions become numbers, so that they compare: “5.6” is 5006. What is stored stays as it is."""

from django.db import migrations, models


def to_numbers(apps, schema_editor):
    comparisons = apps.get_model("comparisons", "Comparison").objects
    for words in comparisons.values_list("engine_words", flat=True).distinct():
        parser, _, engine = words.partition(".")
        if parser.isdecimal() and engine.isdecimal():
            number = int(parser) * 1000 + int(engine)
            comparisons.filter(engine_words=words).update(engine_version=number)


def to_words(apps, schema_editor):
    comparisons = apps.get_model("comparisons", "Comparison").objects
    for number in comparisons.values_list("engine_version", flat=True).distinct():
        words = "{}.{}".format(*divmod(number, 1000)) if number else ""
        comparisons.filter(engine_version=number).update(engine_words=words)


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0003_queued_at")]

    operations = [
        migrations.AddField("comparison", "failures", models.PositiveIntegerField(default=0)),
        migrations.AddField("comparison", "interruptions", models.PositiveIntegerField(default=0)),
        migrations.AddField("comparison", "renewal_error", models.TextField(blank=True, default="")),
        migrations.AddField("comparison", "renewal_tried", models.PositiveIntegerField(default=0)),
        migrations.AddField("comparison", "stored_format", models.PositiveSmallIntegerField(default=1)),
        migrations.RenameField("comparison", "engine_version", "engine_words"),
        migrations.AddField("comparison", "engine_version", models.PositiveIntegerField(default=0)),
        migrations.RunPython(to_numbers, to_words),
        migrations.RemoveField("comparison", "engine_words"),
    ]
