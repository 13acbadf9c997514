from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("threads", "0005_typing")]

    operations = [
        migrations.AddField(
            model_name="thread",
            name="baseline",
            field=models.CharField(blank=True, default="", max_length=120),
        ),
    ]
