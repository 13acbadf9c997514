from django.apps import AppConfig


class PostmortemsConfig(AppConfig):
    name = "awrdiff.postmortems"

    def ready(self) -> None:
        from awrdiff.notices.mails import MORE  # noqa: PLC0415 - models come late
        from awrdiff.postmortems import week  # noqa: PLC0415
        from awrdiff.processing.kinds import Chore, register_chore  # noqa: PLC0415

        MORE[week.WHAT] = week.mail_lines
        register_chore(Chore("telling of the week", week.LOOK_EVERY_S, week.tell))
