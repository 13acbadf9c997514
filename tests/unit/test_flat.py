"""What the web tests look at is the page up to line breaks, and nothing less."""

from __future__ import annotations

import pytest

from tests.harness.flat import flat


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("<tr>\n  <td>1</td>\n  <td>2</td>\n</tr>", "<tr><td>1</td><td>2</td></tr>"),
        ('<a class="b"\n   href="c">d</a>', '<a class="b" href="c">d</a>'),
        ("<p>one\n   line</p>", "<p>one line</p>"),
        ("<b>x</b> <i>y</i>", "<b>x</b> <i>y</i>"),
    ],
)
def test_only_line_breaks_go(sent, seen):
    assert flat(sent) == seen
