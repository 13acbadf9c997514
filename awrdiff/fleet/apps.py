from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "awrdiff.fleet"

    def ready(self) -> None:
        from awrdiff.databases.report_assignment import WHEN_MOVED, WHEN_PLACED  # noqa: PLC0415 - models are there only now
        from awrdiff.fleet import deviation_measurement, digests, tasks, thinning  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import WHEN_DELETED  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        register_chore(Chore("measuring databases", tasks.EVERY_S, tasks.look_for_due))
        register_chore(Chore("taking up databases to measure", tasks.TAKE_UP_EVERY_S, deviation_measurement.take_up))
        register_chore(Chore("telling teams of their databases", digests.EVERY_S, digests.gather))
        register_chore(Chore("thinning out old reports", thinning.EVERY_S, thinning.thin_out))
        for observers in (WHEN_MOVED, WHEN_DELETED):
            observers.append(deviation_measurement.reports_moved)
        WHEN_PLACED.append(deviation_measurement.reports_placed)
        WHEN_SETTLED.append(tasks.report_settled)
