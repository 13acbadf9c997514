from django.db import migrations


class Migration(migrations.Migration):
    """What is counted is counted in one table."""

    dependencies = [("accounts", "0005_writing")]

    operations = [
        migrations.RenameModel("FailedSignIns", "Spent"),
        migrations.RenameField("Spent", "failures", "times"),
        migrations.DeleteModel("Writing"),
    ]
