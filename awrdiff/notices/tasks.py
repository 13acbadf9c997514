"""Sending a message; idempotent."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from awrdiff.notices import outbox


@shared_task(name="notices.deliver")
def deliver(pk: str) -> None:
    outbox.deliver(UUID(pk))
