from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "awrdiff.notices"

    def ready(self) -> None:
        from awrdiff.accounts import happened  # noqa: PLC0415 - models are there only now
        from awrdiff.notices import digests, outbox, services  # noqa: PLC0415
        from awrdiff.processing.kinds import Chore, register_chore  # noqa: PLC0415

        happened.listen(services.of_people)
        register_chore(Chore("sending notices that are due", outbox.SWEEP_EVERY_S, outbox.sweep))
        register_chore(Chore("gathering digests", digests.LOOK_EVERY_S, digests.gather))
        register_chore(Chore("removing old notices", outbox.TIDY_EVERY_S, outbox.tidy))
