"""Template filters; numbers go through `awrdiff.web.value_formatting`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import mark_safe

from awrdiff.accounts.display_names import both_names, shown_name
from awrdiff.accounts.ticket_references import address_of, name_of
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.figures_in_words import number
from awrdiff.incidents.models import Incident, Verdict
from awrdiff.threads import attachment_types, attachments
from awrdiff.web import links
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.page.db_time import LinkView
from awrdiff.web.presenters.postmortem.page import chart_of
from parsers.version import VERSION

_FIGURE = re.compile(r"((?<![\w.])[+−±×<-]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:\s?(?:%|ms|µs|s|min|×))?(?!\w|\.\d))")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")

register = template.Library()
register.simple_tag(lambda: VERSION, name="version")
register.simple_tag(lambda: settings.AWRDIFF_MAILS, name="server_mails")
register.filter("file_size", fmt.file_size)
register.filter("thousands", fmt.plain)
register.filter("significant", fmt.significant)
register.filter("count", fmt.count_text)
register.filter("share", lambda part: fmt.share(part * 100))
register.filter("number", number)
register.filter("shown_name", shown_name)
register.filter("both_names", both_names)
register.filter("bars", chart_of)


@register.filter
def moment(at: datetime | str) -> str:
    """`22 Nov 2026 12:23 UTC`; texts are ISO 8601 with offset."""
    return fmt.moment(datetime.fromisoformat(at) if isinstance(at, str) else at)


@register.filter
def window(incident: Incident) -> str:
    """By its own clock."""
    return Clock.of(incident).window(incident.begins_at, incident.ends_at)


@register.filter
def place(verdict: Verdict) -> str:
    """Its pair, for members."""
    return links.place(verdict.comparison_id, verdict.pair)


@register.filter
def links_end(links: int) -> str:
    """Working links as a phrase; "" for none."""
    if links == 1:
        return "its share link: whoever holds it is told that it does not exist"
    return f"its {links} share links: whoever holds one is told that it does not exist" if links else ""


@register.inclusion_tag("threads/_attach.html")
def attach(id: str) -> dict[str, object]:
    """File fields of a multipart/form-data form."""
    return {
        "id": id,
        "most": attachments.MOST,
        "largest": attachment_types.LARGEST,
        "accepted": attachment_types.ACCEPTED,
    }


@register.inclusion_tag("incidents/_ticket.html", takes_context=True)
def ticket(context: Context, text: str, of: str) -> dict[str, str]:
    """By the team's pattern of addresses; `of`: what has it."""
    return {"text": name_of(text), "url": text and address_of(context["access"].team.ticket_pattern, text), "of": of}


@register.filter
def whole_moments(text: str) -> str:
    """Keeps `2026-11-22 14:00` on one line."""
    markup = _MOMENT.sub(r'<span class="moment">\g<0></span>', escape(text))
    return mark_safe(markup)  # noqa: S308 - it is escaped


@register.filter
def strong_figures(text: str) -> str:
    """Figures in bold; names with digits are none."""
    parts = [f"<b>{escape(part)}</b>" if at % 2 else escape(part) for at, part in enumerate(_FIGURE.split(text))]
    return mark_safe("".join(parts))  # noqa: S308 - each is escaped


@register.simple_tag
def cells(figures: Iterable[tuple[str, str]]) -> str:
    """A template loop would take twice as long for thousands."""
    cell_markup = (
        f"<td>{escape(text)}{f'<small>{escape(small)}</small>' if small else ''}</td>" for text, small in figures
    )
    return mark_safe("".join(cell_markup))  # noqa: S308 - each is escaped


@register.simple_tag(takes_context=True)
def thing(context: Context, text: str, path: str, target: str = "") -> str:
    """Link to the entity's page, else its row, else text."""
    below = context.get("entities_url")
    if path and below:
        url = f"{below}{path}{context.get('pair_query', '')}"
        return format_html('<a class="to" href="{}">{}</a>', url, text)
    return format_html('<a href="#{}">{}</a>', target, text) if target else conditional_escape(text)


@register.simple_tag(takes_context=True)
def things(context: Context, names: Iterable[Ref | tuple[str, str]], more: str = "") -> str:
    """Entities, or texts with paths, in one line; `more`: text without link."""
    texts = ((name.key, name.path) if isinstance(name, Ref) else name for name in names)
    links = [thing(context, text, path) for text, path in texts]
    return mark_safe(" · ".join([*links, conditional_escape(more)] if more else links))  # noqa: S308 - each is escaped


@register.simple_tag(takes_context=True)
def linked(context: Context, text: str, names: Mapping[str, LinkView]) -> str:
    """Known names become links."""
    if not names:
        return conditional_escape(text)
    longest_first = sorted(names, key=len, reverse=True)
    parts = re.split(rf"(?<![\w.$#])({'|'.join(map(re.escape, longest_first))})(?![\w$#])", text)
    links = [thing(context, p, names[p].path, names[p].target) if at % 2 else p for at, p in enumerate(parts)]
    return mark_safe("".join(map(conditional_escape, links)))  # noqa: S308 - each is escaped
