"""What the fuzzer breaks: reports built in every layout the project can write, and real ones where a folder has some."""

from __future__ import annotations

from pathlib import Path

from fixtures.samples.from_addm import addm_samples
from fixtures.samples.from_ash import ash_samples
from fixtures.stories import invented
from fixtures.writer import LAYOUTS, TEXT_LAYOUTS, write
from tests.unit.parsers.compare_listings import every_layout
from tests.unit.parsers.kind_pages import global_report, wrapped
from tests.unit.parsers.listings import EVENTS, chapter, listing
from tests.unit.parsers.test_kinds_compare import compare_report
from tests.unit.parsers.test_kinds_lgwr import NEW, OLD
from tests.unit.parsers.test_pasted import FORMS, SQUEEZED, WHOLE, paste

Document = tuple[str, bytes]


def built() -> list[Document]:
    """Name and bytes of an invented report for each layout and kind."""
    out = [(name, write(invented.after(modern=name != "11.2"), layout)) for name, layout in LAYOUTS.items()]
    out += [(name, write(invented.after(modern=False), layout)) for name, layout in TEXT_LAYOUTS.items()]
    rows = [
        f"event {i:<20} {i * 17:>12,} {i % 100:>5} {i * 3:>10,} {i % 9:>7} {i / 7:>8.1f} {i % 50:>6}" for i in range(60)
    ]
    waits = [chapter(f"{n} Wait Events", "", *EVENTS, *rows) for n in ("Foreground", "Background")]
    return [
        *out,
        ("text", listing(*waits).encode()),
        ("global", global_report()),
        ("wrapped", wrapped(global_report(), 132, padded=True, separators=True)),
        ("compare", compare_report()),
        ("compare as text", every_layout()),
        *((f"pasted: {form}", paste(form, WHOLE)) for form in FORMS),
        ("pasted: squeezed", SQUEEZED.encode()),
        ("trace", (OLD + NEW).encode()),
        *((path.partition("/")[2], data) for path, data in _once({**addm_samples(), **ash_samples()})),
    ]


def _once(samples: dict[str, bytes]) -> list[Document]:
    """Samples of several sections may be one file."""
    return [(path, data) for data, path in {data: path for path, data in samples.items()}.items()]


def real(folder: Path | None) -> list[Document]:
    """The reports in `folder`, by name."""
    files = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix != ".tsv") if folder else []
    return [(p.name, p.read_bytes()) for p in files]
