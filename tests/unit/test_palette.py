"""The colours of waits are the same in pages and in files, and every wait class has one."""

from __future__ import annotations

import re
from itertools import combinations
from math import dist
from pathlib import Path

import pytest

from awrdiff.analysis.export.html import STYLE
from awrdiff.analysis.verdict.db_time_bars import FILLS, OTHER_FILL, REST_FILL

PAGE = Path("static/css/base.css").read_text(encoding="utf-8")


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"^\.(db-cpu|w-[\w-]+) \{ --wait: ([^;]+);", css, re.MULTILINE))


def test_one_palette() -> None:
    assert colours(PAGE) == colours(STYLE)
    assert set(colours(PAGE)) == {*FILLS.values(), OTHER_FILL, REST_FILL}


# What an eye without one kind of cone sees of linear light (Machado, Oliveira, Fernandes 2009, severity 1).
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
TO_XYZ = ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0178, 0.1095, 0.8730))  # over the white of D65


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def linear(colour: str) -> list[float]:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def lab(light: list[float]) -> tuple[float, float, float]:
    x, y, z = (max(v, 0.008856) ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in times(TO_XYZ, light))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def pair_of(text: str) -> list[str]:
    """For light and for dark pages."""
    found = re.findall(r"#[0-9a-f]+", text)
    return found if len(found) == 2 else found * 2


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("scheme", [0, 1])
def test_no_two_classes_look_alike(eye: str, scheme: int) -> None:
    seen = {
        name: lab([min(max(part, 0), 1) for part in times(EYES[eye], linear(pair_of(value)[scheme]))])
        for name, value in colours(PAGE).items()
    }
    nearest = min((dist(seen[a], seen[b]), a, b) for a, b in combinations(seen, 2))
    assert nearest[0] > 12, nearest


def test_what_is_written_on_a_class_can_be_read() -> None:
    shown = re.findall(r"^\.(?:db-cpu|w-[\w-]+) \{ --wait: ([^;]+); --on-wait: ([^;]*#[^;]*);", PAGE, re.MULTILINE)
    assert len(shown) > 12
    for fill, ink in shown:
        for pair in zip(pair_of(fill), pair_of(ink), strict=True):
            low, high = sorted(times(TO_XYZ, linear(colour))[1] for colour in pair)
            assert (high + 0.05) / (low + 0.05) >= 4.5, pair
