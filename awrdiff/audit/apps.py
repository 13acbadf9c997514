from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "awrdiff.audit"

    def ready(self) -> None:
        from awrdiff.accounts import member_events  # noqa: PLC0415 - models are there only now
        from awrdiff.audit import services  # noqa: PLC0415

        member_events.listen(services.of_people)
