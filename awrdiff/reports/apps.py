from django.apps import AppConfig
from django.db.models import F


class ReportsConfig(AppConfig):
    name = "awrdiff.reports"

    def ready(self) -> None:
        from awrdiff.accounts import quotas  # noqa: PLC0415 - models come late
        from awrdiff.processing.work_kinds import Chore, WorkKind, register, register_chore  # noqa: PLC0415 - models come late
        from awrdiff.reports import files, lgwr_traces, metrics, parser_version, queries, retention, services, tasks  # noqa: PLC0415
        from awrdiff.reports.models import Report  # noqa: PLC0415

        quotas.FILE_COUNTS["reports"] = services.stored_totals
        services.KEPT_BY.append(lgwr_traces.keeps)
        services.HOLDS["with a trace"] = lgwr_traces.holds
        version = lambda: parser_version.PARSER_VERSION  # noqa: E731
        parts = (services.restart_stale, queries.waiting, F("in_bulk"), version, tasks.outdated_reports)
        register(WorkKind(Report, tasks.read_report, *parts))
        register_chore(Chore("counting what teams keep", quotas.COUNT_EVERY_S, quotas.count))
        register_chore(Chore("computing metrics", metrics.EVERY_S, metrics.renew))
        register_chore(Chore("removing files of deleted reports", files.SWEEP_EVERY_S, files.sweep))
        register_chore(Chore("removing old uploads", retention.EVERY_S, retention.remove_old_files))
