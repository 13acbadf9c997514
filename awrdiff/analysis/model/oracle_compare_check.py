"""Check of Oracle's own compare report, as pure data."""

from __future__ import annotations

from msgspec import Struct


class Disagreement(Struct, frozen=True):
    """Printed difference that does not follow from its two figures.

    `kind`: `pct`, percent of the first, or `diff`, in the column's unit. `section`, `column`: of the comparison;
    `first`, `second`: as printed.
    """

    section: str
    title: str
    row: str
    row_id: str
    column: str
    label: str
    kind: str
    first: float
    second: float
    oracle: float
    ours: float | None


class OracleCheck(Struct, frozen=True):
    """`printed` differences: agreeing within rounding, from a first figure of about 0, with a blank period, or
    disagreeing (first ones in `disagreements`). `only_differences`: titles of tables without periods.
    """

    printed: int = 0
    agrees: int = 0
    from_zero: int = 0
    one_sided: int = 0
    disagree: int = 0
    disagreements: tuple[Disagreement, ...] = ()
    only_differences: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        parts = [f"Oracle prints {self.printed:,} differences: {self.agrees:,} agree with ours within the rounding"]
        if self.from_zero:
            parts.append(f"{self.from_zero:,} start from zero, which Oracle calls 0 or 100 % and we leave open")
        if self.one_sided:
            parts.append(f"{self.one_sided:,} take a figure that is not printed for zero")
        parts.append(
            f"{self.disagree:,} do not follow from the figures beside them" if self.disagree else "none differs"
        )
        text = f"{'; '.join(parts)}."
        if self.only_differences:
            tables = ", ".join(self.only_differences)
            text += f" Printed as differences only, and left in Oracle's report: {tables}."
        return text
