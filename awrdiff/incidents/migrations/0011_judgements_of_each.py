from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("incidents", "0010_tickets_asked")]

    operations = [migrations.RemoveConstraint(model_name="verdict", name="one_current_verdict")]
