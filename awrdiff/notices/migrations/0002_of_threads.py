import re

from django.db import migrations, models

PLACE = re.compile(r"#thread=(\d+)$")


def name_threads(apps, _schema_editor):
    """What was told of a thread before says so in its place alone."""
    notices = apps.get_model("notices", "Notice").objects
    for pk, place in notices.filter(place__contains="#thread=").values_list("pk", "place").iterator():
        if found := PLACE.search(place):
            notices.filter(pk=pk).update(thread=int(found[1]))


class Migration(migrations.Migration):
    dependencies = [("notices", "0001_notices")]

    operations = [
        migrations.AddField("notice", "thread", models.BigIntegerField(null=True)),
        migrations.AddField("notice", "mail_at", models.DateTimeField(null=True, blank=True)),
        migrations.AddIndex("notice", models.Index(fields=["user", "thread"], name="notice_of_thread")),
        migrations.RunPython(name_threads, migrations.RunPython.noop),
    ]
