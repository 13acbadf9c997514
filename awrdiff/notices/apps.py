from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "awrdiff.notices"

    def ready(self) -> None:
        from awrdiff.accounts import member_events  # noqa: PLC0415 - models are there only now
        from awrdiff.accounts.access import Can  # noqa: PLC0415
        from awrdiff.accounts.offboarding import OpenedKind, register  # noqa: PLC0415
        from awrdiff.notices import chores, services  # noqa: PLC0415
        from awrdiff.notices.models import TeamNotices  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415

        member_events.listen(services.of_people)
        register(
            OpenedKind(
                name="trackers",
                noun=lambda _: "tracker",
                label=lambda _: "secret of the tracker",
                live=lambda: TeamNotices.objects.exclude(tracker_nonce=None),
                maker="tracker_by",
                end=services.close_tracker,
                needs=Can.ADMINISTER,
                of_team=True,
            )
        )
        register_chore(Chore("sending notices that are due", chores.SWEEP_EVERY_S, chores.sweep))
        register_chore(Chore("gathering digests", chores.GATHER_EVERY_S, chores.gather))
        register_chore(Chore("removing old notices", chores.TIDY_EVERY_S, chores.tidy))
