"""What the fuzzer does to files: each mutation takes a random source and bytes and gives bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fixtures.hostile import TOKENS
from tests import mangle

Mutation = Callable[[random.Random, bytes], bytes]
_ROW = re.compile(rb"(<td[^<>]{0,200}>[^<]{0,200}</td>)(\s{0,20})(<td[^<>]{0,200}>[^<]{0,200}</td>)", re.IGNORECASE)
_NUMBER = re.compile(rb"\d[\d,.]*")
_NAME = re.compile(rb"[A-Za-z_]{4,40}")
_TAG_NAME = re.compile(rb"<(/?)(t[dhr]|table|a|h3)\b", re.IGNORECASE)
_TAG = re.compile(rb"</?[a-zA-Z][^<>]{0,200}>")
_HUGE = (
    b"9" * 400, b"1e308", b"-1e999", b"1e-400", b"0x7f", b"1,2,3.4.5", b"9" * 50_000, b"\xd9\xa3", b"####", b"NaN",
    b"inf", b"1" + b",000" * 3000, b"-", b".", b"1.5K", b"99:99:99", b"31-Feb-99 25:61:61", b"0", b"2e5000000",
)  # fmt: skip
_ENTITIES = (
    b"&#0;",
    b"&#xD800;",
    b"&#1114112;",
    b"&amp;lt;",
    b"&nbsp;",
    b"&unknown;",
    b"&#9999999999;",
    b"&" * 500,
    b"&lt;",
)
_SCRIPTS = (
    b"<script>alert(1)</script>", b"&lt;script&gt;alert(1)&lt;/script&gt;", b"\"><img src=x onerror=alert(1)>", b"<!--",
    b"]]>", b"<![CDATA[", b"<plaintext>", b"<textarea>", b"<select>", b"<svg><desc>", b"<?php", b"<title>", b"</table>",
)  # fmt: skip
_DEEP = (
    b"<div>",
    b"<table><tr><td>",
    b"<ul><li>",
    b"<b>",
    b"<font>",
    b"<span><a name=x>",
    b"<p><h3>",
    b"> ",
    b"(",
    b"<pre>",
)
_ENDS = (
    (b"<table>", b"</table>"), (b"<tr><td>", b"</tr>"), (b"<td>", b"</td>"), (b"<th>", b"</th>"), (b"<td", b">"),
    (b'<td a="', b'"'), (b"<!--", b"-->"), (b"<script>", b"</script>"), (b"<pre>", b"</pre>"), (b"<h3>", b"</h3>"),
    (b"<li>", b"</li>"), (b"<ul>", b"</ul>"), (b"<a name=x>", b"</a>"), (b"&", b";"), (b"x", b"\n"), (b"(", b")"),
    (b"X  DB/Inst: A/b  Snaps: 1-2\n", b"          ------"), (b"Finding 1: x\n", b"End of Report"),
)  # fmt: skip


def cut(chance: random.Random, data: bytes) -> bytes:
    """At one of the kilobytes."""
    return data[: 1024 * chance.randint(0, max(1, len(data) // 1024))]


def beheaded(chance: random.Random, data: bytes) -> bytes:
    return data[chance.randint(0, len(data)) :]


def flipped_bits(chance: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice((1, 5, 50, 500))):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    return bytes(out)


def _lines(chance: random.Random, data: bytes, change: Callable[[list[bytes], int], None]) -> bytes:
    lines = data.split(b"\n")
    for _ in range(chance.choice((1, 10, 100))):
        change(lines, chance.randrange(len(lines)))
    return b"\n".join(lines)


def deleted_lines(chance: random.Random, data: bytes) -> bytes:
    def change(lines: list[bytes], at: int) -> None:
        lines[at] = b""

    return _lines(chance, data, change)


def doubled_lines(chance: random.Random, data: bytes) -> bytes:
    times = chance.choice((2, 2, 2, 40))

    def change(lines: list[bytes], at: int) -> None:
        lines[at] = b"\n".join([lines[at][:2000]] * times)

    return _lines(chance, data, change)


def swapped_lines(chance: random.Random, data: bytes) -> bytes:
    def change(lines: list[bytes], at: int) -> None:
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]

    return _lines(chance, data, change)


def swapped_columns(chance: random.Random, data: bytes) -> bytes:
    """Neighbouring cells, or in a text report the halves of lines."""
    if b"<td" in data.lower():
        share = chance.random()
        return _ROW.sub(lambda m: m[3] + m[2] + m[1] if chance.random() < share else m[0], data)

    def change(lines: list[bytes], at: int) -> None:
        half = len(lines[at]) // 2
        lines[at] = lines[at][half:] + lines[at][:half]

    return _lines(chance, data, change)


def _put(chance: random.Random, data: bytes, pattern: re.Pattern[bytes], things: tuple[bytes, ...]) -> bytes:
    places = [m.span() for m in pattern.finditer(data, chance.randrange(max(1, len(data) - 2000)))][:5000]
    out = data
    chosen = sorted(chance.sample(places, min(len(places), chance.choice((1, 3, 20)))), reverse=True)
    for start, end in chosen:
        out = out[:start] + chance.choice(things) + out[end:]
    return out


def huge_numbers(chance: random.Random, data: bytes) -> bytes:
    return _put(chance, data, _NUMBER, _HUGE)


def entities(chance: random.Random, data: bytes) -> bytes:
    return _put(chance, data, _NAME, _ENTITIES)


def scripts_in_names(chance: random.Random, data: bytes) -> bytes:
    return _put(chance, data, _NAME, _SCRIPTS)


def lost_tags(chance: random.Random, data: bytes) -> bytes:
    share = chance.choice((0.001, 0.01, 0.2, 0.9))
    return _TAG.sub(lambda m: b"" if chance.random() < share else m[0], data)


def deep_nesting(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.choice(_DEEP) * chance.choice((300, 3000, 30_000)) + data[at:]


def wide_table(chance: random.Random, data: bytes) -> bytes:
    """A table of 10,000 columns among the others."""
    if b"<td" in data.lower():
        columns, rows = 10_000, chance.choice((1, 3, 10))
        head = b"<tr>" + b"".join(b"<th>c%d</th>" % i for i in range(columns)) + b"</tr>"
        body = (b"<tr>" + b"<td>1</td>" * columns + b"</tr>") * rows
        table = b"<h3>Wide</h3><table>" + head + body + b"</table>"
    else:
        table = b"\nWide\n" + b"c " * 10_000 + b"\n" + b"- " * 10_000 + b"\n" + (b"1 " * 10_000 + b"\n") * 3
    at = data.find(b"\n", chance.randrange(len(data))) + 1
    return data[:at] + table + data[at:]


def wide_spans(chance: random.Random, data: bytes) -> bytes:
    span = b'<%s colspan="99999" rowspan="65000"'
    return data.replace(b"<th", span % b"th", chance.choice((1, 20, -1))).replace(
        b"<td", span % b"td", chance.choice((1, 50))
    )


def moved_piece(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.randrange(20_000)]
    at = chance.randrange(len(data))
    return data[:at] + piece * chance.choice((1, 1, 5)) + data[at:]


def noise(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.choice((10, 1000, 100_000))) + data[at:]


def mangled(chance: random.Random, data: bytes) -> bytes:
    """As mail clients and browsers do it, and then cut or flipped."""
    ways = mangle.HTML if b"<td" in data[:50_000].lower() else mangle.TEXT
    data = data.decode("utf-8", "replace").encode()
    out = chance.choice(list(ways.values()))(data)
    return chance.choice((cut, flipped_bits, lambda _, d: d))(chance, out)


def dense_table(chance: random.Random, data: bytes) -> bytes:
    """Next to nothing but tags, or lines: what takes a reader more memory than the file."""
    times = chance.choice((1_000, 10_000, 100_000))
    if b"<td" in data.lower():
        tag = chance.choice(
            (b"<td>1</td>", b"<td>1", b"<tr><td>1", b"<b>", b"<br>", b"<p>", b"<li>x", b"<h3>x</h3>", b"<hr>")
        )
        piece = b"<h3>Dense</h3><table>" + tag * times + b"</table>"
    else:
        piece = chance.choice((b"\n", b"x\n", b"- -\n1 2\n", b"a\n~~~\n", b"\f\n", b"1 ", b"\t")) * times
    at = data.find(b"\n", chance.randrange(len(data))) + 1
    return data[:at] + piece + data[at:]


def many_attributes(chance: random.Random, data: bytes) -> bytes:
    """In one tag, or in text reports words in one line."""
    value = chance.choice((b"", b"=1", b'="<>"', b"='>'"))
    words = b" ".join(b"a%d%s" % (i, value) for i in range(chance.choice((100, 10_000, 60_000))))
    places = [m.end(2) for m in _TAG_NAME.finditer(data, chance.randrange(len(data)))][:200]
    at = chance.choice(places) if places else chance.randrange(len(data))
    return data[:at] + b" " + words + b" " + data[at:]


def _token(chance: random.Random, data: bytes) -> bytes:
    """One of those that the parsers look for, or a piece of the document."""
    if chance.random() < 0.7:
        return chance.choice(TOKENS).replace(b"%d", b"7")
    at = chance.randrange(len(data))
    return data[at : at + chance.choice((1, 3, 10, 40))]


def repeated_token(chance: random.Random, data: bytes) -> bytes:
    """Up to some hundred kilobytes of one token, or of two in turn, somewhere in the document."""
    token = b"".join(_token(chance, data) for _ in range(chance.choice((1, 1, 2))))
    at = chance.randrange(len(data))
    return data[:at] + token * (chance.choice((2_000, 30_000, 300_000)) // len(token) + 1) + data[at:]


def opened_without_end(chance: random.Random, data: bytes) -> bytes:
    """Every end of one sort is gone, and what it would end begins again and again."""
    begin, end = chance.choice(_ENDS)
    times = chance.choice((1, 100, 10_000, 60_000))
    at = chance.randrange(len(data))
    return data[:at].replace(end, b"") + begin * times + data[at:].replace(end, b"")


MUTATIONS: dict[str, Mutation] = {
    f.__name__: f
    for f in (
        cut, beheaded, flipped_bits, deleted_lines, doubled_lines, swapped_lines, swapped_columns, huge_numbers,
        entities, scripts_in_names, lost_tags, deep_nesting, wide_table, wide_spans, dense_table, many_attributes,
        moved_piece, noise, mangled, repeated_token, opened_without_end,
    )
}  # fmt: skip
_TURNS = ("cut", "cut", *MUTATIONS)  # a file is cut in more places than it is broken otherwise
_SMALL = 256 << 10  # bytes: files that are cut at every kilobyte, larger ones at some
_EVEN = 15_000  # bytes: among larger files, one is taken the rarer the larger it is


def mutate(seed: int, number: int, documents: list[tuple[str, bytes]]) -> tuple[str, str, bytes]:
    """Case `number` of `seed`: the mutation's name, the document's, and the bytes. The same each time."""
    chance = random.Random(f"{seed}:{number}")
    rounds, turn = divmod(number, len(_TURNS))
    name = _TURNS[turn]
    place = _place(rounds * 3 + turn, documents) if name == "cut" else None
    if place:
        what, data = place
    else:
        (what, data) = chance.choices(documents, [1 / (_EVEN + len(d)) for _, d in documents])[0]
        data = MUTATIONS[name](chance, data)
    if not place and data and chance.random() < 0.2:
        data = MUTATIONS[chance.choice(list(MUTATIONS))](chance, data)
    return name, what, data


def _place(index: int, documents: list[tuple[str, bytes]]) -> tuple[str, bytes] | None:
    """The small documents cut at their kilobytes, one after the other; None after the last."""
    for what, data in documents:
        places = len(data) // 1024 + 1
        if len(data) <= _SMALL and index < places:
            return what, data[: index * 1024]
        index -= places if len(data) <= _SMALL else 0
    return None
