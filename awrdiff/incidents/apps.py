from django.apps import AppConfig


class IncidentsConfig(AppConfig):
    name = "awrdiff.incidents"

    def ready(self) -> None:
        from awrdiff.accounts import member_events  # noqa: PLC0415 - models come late
        from awrdiff.accounts.access import Can  # noqa: PLC0415
        from awrdiff.accounts.offboarding import OpenedKind, register  # noqa: PLC0415
        from awrdiff.comparisons.removal import WHEN_DELETED  # noqa: PLC0415
        from awrdiff.incidents import action_items, action_tickets, chat_channel, comparisons_and_reports  # noqa: PLC0415
        from awrdiff.incidents.models import Incident  # noqa: PLC0415
        from awrdiff.notices.outbox import WHEN_ANSWERED  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import HELD_BY, HOLDS, KEPT_BY  # noqa: PLC0415

        member_events.listen(action_items.of_people)
        register(
            OpenedKind(
                name="channels",
                noun=lambda _: "channel",
                label=lambda row: f"address for a channel's messages of “{row.title}”",
                live=lambda: Incident.objects.exclude(channel_nonce=None),
                maker="channel_by",
                end=chat_channel.close_channels,
                needs=Can.WRITE,
                of_team=True,
            )
        )
        register_chore(Chore("reminding of action items", action_items.REMIND_EVERY_S, action_items.remind))
        register_chore(
            Chore(
                "reading incidents again",
                comparisons_and_reports.REFRESH_EVERY_S,
                comparisons_and_reports.refresh_stale,
            )
        )
        WHEN_ANSWERED[action_tickets.EVENT] = action_tickets.answered
        KEPT_BY.append(comparisons_and_reports.keeps)
        HELD_BY.append(comparisons_and_reports.holds)
        WHEN_DELETED.append(comparisons_and_reports.untitle)
        HOLDS["in an incident"] = comparisons_and_reports.attached
