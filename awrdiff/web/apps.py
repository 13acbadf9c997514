from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "awrdiff.web"

    def ready(self) -> None:
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415 - models are there only now
        from awrdiff.web.sign_in import deactivation, permission_helpers  # noqa: F401, PLC0415 - the first receives a signal

        register_chore(Chore("ending what no groups confirm", deactivation.EVERY_S, deactivation.end_unconfirmed))
