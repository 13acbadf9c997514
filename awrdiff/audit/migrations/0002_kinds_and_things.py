from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_lines")]

    operations = [
        migrations.AddIndex("auditline", models.Index(fields=["team", "kind", "-id"], name="audit_by_kind")),
        migrations.AddIndex("auditline", models.Index(fields=["team", "thing", "-id"], name="audit_of_thing")),
    ]
