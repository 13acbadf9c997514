"""Sending a message: thin, idempotent, safe to run twice."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task


@shared_task(name="notices.deliver")
def deliver(pk: str) -> None:
    from awrdiff.notices import outbox  # noqa: PLC0415 - services send tasks, and the outbox asks services

    outbox.deliver(UUID(pk))
