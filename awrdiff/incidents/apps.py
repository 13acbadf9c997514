from django.apps import AppConfig


class IncidentsConfig(AppConfig):
    name = "awrdiff.incidents"

    def ready(self) -> None:
        from awrdiff.accounts import happenings  # noqa: PLC0415 - models come late
        from awrdiff.accounts.access import Can  # noqa: PLC0415
        from awrdiff.accounts.offboarding import OpenedKind, register  # noqa: PLC0415
        from awrdiff.comparisons.removal import WHEN_DELETED  # noqa: PLC0415
        from awrdiff.incidents import action_items, action_tickets, attached, channel  # noqa: PLC0415
        from awrdiff.incidents.models import Incident  # noqa: PLC0415
        from awrdiff.notices.outbox import WHEN_ANSWERED  # noqa: PLC0415
        from awrdiff.processing.kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import HELD_BY, HOLDS, KEPT_BY  # noqa: PLC0415

        happenings.listen(action_items.of_people)
        register(
            OpenedKind(
                name="channels",
                noun=lambda _: "channel",
                label=lambda row: f"address for a channel's messages of “{row.title}”",
                live=lambda: Incident.objects.exclude(channel_nonce=None),
                maker="channel_by",
                end=channel.close_channels,
                needs=Can.WRITE,
                of_team=True,
            )
        )
        register_chore(Chore("reminding of action items", action_items.REMIND_EVERY_S, action_items.remind))
        register_chore(Chore("reading incidents again", attached.REFRESH_EVERY_S, attached.refresh_stale))
        WHEN_ANSWERED[action_tickets.EVENT] = action_tickets.answered
        KEPT_BY.append(attached.keeps)
        HELD_BY.append(attached.holds)
        WHEN_DELETED.append(attached.untitle)
        HOLDS["in an incident"] = attached.attached
