"""Section changes suggested by a comment: a `suggestion` block of a unified diff."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import unified_diff
from hashlib import sha256

from awrdiff.threads import comment_rendering

KIND = "suggestion"
AROUND = 2  # lines that stay, before and after those that change
_HUNK = re.compile(r"@@ -(\d+)")


@dataclass(slots=True)
class _Hunk:
    start: int
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def comment_text(before: str, after: str) -> str:
    """Suggests `after`; "" if equal."""
    diff = list(unified_diff(_lines(before), _lines(after), n=AROUND, lineterm=""))[2:]
    longest = max((len(ticks) for line in diff for ticks in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{KIND}", *diff, fence]) if diff else ""


def digest_of(body: str) -> str:
    """Digest of the suggestion; "" if none."""
    return sha256(body.encode()).hexdigest()[:16] if _hunks(body) else ""


def applied(text: str, body: str) -> str | None:
    """Changed text; None if its lines are gone, or what it adds is there."""
    lines = _lines(text)
    for hunk in reversed(_hunks(body)):
        size = len(hunk.before)
        places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == hunk.before]
        if not size:
            places = [] if lines else [0]
        start = max(0, hunk.start - 1)
        if start not in places and len(places) != 1:
            return None
        at = start if start in places else places[0]
        if len(hunk.after) > size and lines[at : at + len(hunk.after)] == hunk.after:
            return None  # lines added at the end leave what was before them as it was: they are there already
        lines[at : at + size] = hunk.after
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _hunks(body: str) -> list[_Hunk]:
    """Empty for another comment, or one that changes nothing."""
    block = (
        next((token for token in comment_rendering.tokens(body) if token.type == "fence"), None)
        if KIND in body
        else None
    )
    hunks: list[_Hunk] = []
    if block is None or block.info.strip() != KIND:
        return hunks
    for line in block.content.removesuffix("\n").split("\n"):
        if match := _HUNK.match(line):
            hunks.append(_Hunk(int(match[1])))
        elif not hunks or (line and line[0] not in " +-"):
            return []
        else:
            if line[:1] != "+":
                hunks[-1].before.append(line[1:])
            if line[:1] != "-":
                hunks[-1].after.append(line[1:])
    return hunks
