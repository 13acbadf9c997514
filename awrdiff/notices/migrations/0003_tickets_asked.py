from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0002_of_threads")]

    operations = [
        migrations.AddField(
            model_name="teamnotices",
            name="tickets",
            field=models.BooleanField(default=False),
        ),
    ]
