from django.apps import AppConfig
from django.db.models.signals import post_delete


class ThreadsConfig(AppConfig):
    name = "awrdiff.threads"

    def ready(self) -> None:
        from awrdiff.accounts import quotas  # noqa: PLC0415 - models come late
        from awrdiff.comparisons.removal import WHEN_DELETED  # noqa: PLC0415
        from awrdiff.threads import attachments, subjects  # noqa: PLC0415
        from awrdiff.threads.models import Attachment  # noqa: PLC0415

        quotas.FILE_COUNTS["attachments"] = attachments.stored_totals
        WHEN_DELETED.append(subjects.untitle)
        post_delete.connect(attachments.loosen_file, sender=Attachment, dispatch_uid="loosen_file")
