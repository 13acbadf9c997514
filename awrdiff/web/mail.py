"""SMTP with a short timeout and readable errors."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

logger = logging.getLogger(__name__)


class MailNotSent(Exception):
    """Server's refusal; text for whoever caused the mail."""


class SmtpBackend(EmailBackend):
    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        try:
            return super().send_messages(messages) or 0
        except (OSError, smtplib.SMTPException) as error:
            logger.error("mail was not sent by %s port %s: %s", self.host, self.port, error)  # noqa: TRY400 - no fault of ours
            raise MailNotSent("The mail server did not confirm that it took the message: try again later.") from error
