"""Filters for templates; every number still goes through `awrdiff.web.format`."""

from __future__ import annotations

from django import template

from awrdiff.web import format as fmt
from awrdiff.web.presenters.page.waterfall import BASE
from parsers.version import VERSION

register = template.Library()
register.simple_tag(lambda: VERSION, name="version")
register.filter("file_size", fmt.file_size)
register.filter("thousands", fmt.plain)


@register.filter
def label_y(line: int) -> str:
    """Where the nth line under a bar of the waterfall stands."""
    return f"{BASE + 5 + 13 * line:.0f}"
