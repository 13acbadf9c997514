"""Until here the last judgement on a finding hid those of everybody else: from now on the last of each person holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_FINDING = ("comparison_id", "pair", "swapped", "anchor")
_COPIED = (
    "team_id", *_FINDING, "dbid", "title", "text", "state", "explained_by", "explained_by_title",
)  # fmt: skip


def stand_side_by_side(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """The last row of each person holds, whoever judged later. Who signed off what its author replaced since, and said
    nothing else, said the same: that becomes a judgement of theirs."""
    verdict, sign_off = apps.get_model("incidents", "Verdict"), apps.get_model("incidents", "SignOff")
    rows = verdict.objects.using(editor.connection.alias)
    last = {(_finding(one), one.user_id): one for one in rows.order_by("at", "pk").iterator()}
    holds = {one.pk for one in last.values()}
    _set(rows, holds, current=True)
    past = [pk for pk in rows.filter(is_current=True).values_list("pk", flat=True) if pk not in holds]
    _set(rows, past, current=False)
    signed = sign_off.objects.using(editor.connection.alias).exclude(verdict__state="withdrawn")
    for one in signed.select_related("verdict").order_by("at", "pk"):
        key = (_finding(one.verdict), one.user_id)
        if one.verdict_id in holds or key in last:
            continue
        copied = {name: getattr(one.verdict, name) for name in _COPIED}
        made = rows.create(**copied, role=one.role, user_id=one.user_id)
        rows.filter(pk=made.pk).update(at=one.at)  # whoever makes one has the time of now
        last[key] = made


def last_alone(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("incidents", "Verdict").objects.using(editor.connection.alias)
    last = {_finding(one): one.pk for one in rows.order_by("at", "pk").iterator()}
    rows.exclude(pk__in=last.values()).update(is_current=False)


def _set(rows: Any, ids: Iterable[int], *, current: bool) -> None:
    wanted = list(ids)
    for start in range(0, len(wanted), 500):
        rows.filter(pk__in=wanted[start : start + 500]).exclude(is_current=current).update(is_current=current)


def _finding(one: Any) -> tuple[object, ...]:
    return tuple(getattr(one, name) for name in _FINDING)


class Migration(migrations.Migration):
    dependencies = [("incidents", "0011_judgements_of_each")]

    operations = [migrations.RunPython(stand_side_by_side, last_alone)]
