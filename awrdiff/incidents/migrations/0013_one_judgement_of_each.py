from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0012_judgements_of_each_person")]

    operations = [
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(
                fields=["comparison", "pair", "swapped", "anchor", "user"],
                condition=models.Q(is_current=True),
                name="one_current_judgement",
            ),
        )
    ]
