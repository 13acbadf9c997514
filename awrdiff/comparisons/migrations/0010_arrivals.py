"""Reports that are held against their hour when they arrive, and who is told of them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ID = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_api_tokens"),
        ("reports", "0007_in_bulk"),
        ("comparisons", "0009_chosen_from"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            "ArrivalRule",
            [
                ("id", ID),
                ("since", models.DateTimeField(auto_now_add=True)),
                ("people", models.ManyToManyField(related_name="arrival_rules", to=settings.AUTH_USER_MODEL)),
                (
                    "team",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="arrival_rule", to="accounts.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "Arrival",
            [
                ("id", ID),
                (
                    "report",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="arrival", to="reports.report"
                    ),
                ),
                (
                    "comparison",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="arrivals",
                        to="comparisons.comparison",
                    ),
                ),
            ],
        ),
    ]
