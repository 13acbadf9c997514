from django.apps import AppConfig

REMOVE_EVERY_S = 60


class SharingConfig(AppConfig):
    name = "awrdiff.sharing"

    def ready(self) -> None:
        from awrdiff.accounts.access import Can  # noqa: PLC0415
        from awrdiff.accounts.offboarding import OpenedKind, register  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import HOLDS  # noqa: PLC0415
        from awrdiff.sharing import queries, services  # noqa: PLC0415

        register(
            OpenedKind(
                name="links",
                noun=lambda _: "link",
                label=services.link_label,
                live=lambda: queries.live_links().defer("document"),
                maker="created_by",
                end=services.end_links,
                hand_over=services.hand_over_links,
                needs=Can.SHARE,
            )
        )
        HOLDS["shown by a link"] = queries.shown_by_link

        register_chore(Chore("removing copies of links that ended", REMOVE_EVERY_S, services.remove_ended))
