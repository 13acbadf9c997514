from django.apps import AppConfig


class ProcessingConfig(AppConfig):
    name = "awrdiff.processing"

    def ready(self) -> None:
        # Without this shared_task would bind to Celery's default application.
        from awrdiff import celery_app  # noqa: F401, PLC0415
        from awrdiff.processing import sweeper, work_kinds, worker_watchdog  # noqa: F401, PLC0415

        work_kinds.register_chore(work_kinds.Chore("clearing expired sessions", sweeper.DAY_S, sweeper.clear_sessions))
