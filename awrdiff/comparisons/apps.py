from django.apps import AppConfig
from django.db.models import BooleanField, Value


class ComparisonsConfig(AppConfig):
    name = "awrdiff.comparisons"

    def ready(self) -> None:
        from awrdiff.comparisons import arrivals, of_database, queries, search_index, services, tasks, version_number  # noqa: PLC0415 - models are there only now
        from awrdiff.comparisons.models import Comparison  # noqa: PLC0415
        from awrdiff.databases.placing import WHEN_PLACED  # noqa: PLC0415
        from awrdiff.processing.kinds import Chore, WorkKind, register, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import HOLDS, KEPT_BY  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        waited_for = Value(value=False, output_field=BooleanField())
        parts = (
            services.restart_stale,
            queries.waiting,
            waited_for,
            version_number.current,
            tasks.outdated_comparisons,
        )
        register(WorkKind(Comparison, tasks.compute_comparison, *parts))
        register_chore(Chore("indexing older comparisons", search_index.EVERY_S, search_index.write_missing))
        KEPT_BY.append(services.keeps)
        HOLDS["in a comparison"] = services.holds
        register_chore(Chore("reports that arrived", arrivals.EVERY_S, arrivals.look_for_missed))
        register_chore(Chore("databases of comparisons", of_database.EVERY_S, of_database.take_over))
        WHEN_PLACED.append(of_database.reports_placed)
        for listens in (tasks.report_settled, arrivals.report_settled):
            WHEN_SETTLED.append(listens)
