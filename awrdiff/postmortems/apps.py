from django.apps import AppConfig


class PostmortemsConfig(AppConfig):
    name = "awrdiff.postmortems"

    def ready(self) -> None:
        from awrdiff.notices.mails import MORE  # noqa: PLC0415 - models come late
        from awrdiff.postmortems import weekly_summary  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415

        MORE[weekly_summary.WHAT] = weekly_summary.mail_lines
        register_chore(Chore("telling of the week", weekly_summary.LOOK_EVERY_S, weekly_summary.tell))
