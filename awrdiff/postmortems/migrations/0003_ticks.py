from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("postmortems", "0002_templates_and_second_reviews")]

    operations = [
        migrations.AddField(
            model_name="postmortemsection",
            name="ticks",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
