"""What a check of Oracle's own compare report found. Pure data."""

from __future__ import annotations

from msgspec import Struct


class Disagreement(Struct, frozen=True):
    """One difference that Oracle prints and that does not follow from the two figures beside it.

    `kind`: `pct`, in percent of the first, or `diff`, in the column's unit. `section` and `column` are ids of the
    comparison's, `first` and `second` the printed figures.
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
    """`printed` differences: those that agree with ours within the rounding; those from a first figure of (about) 0,
    which have no percentage; those where a period is blank, hence unknown; and those that disagree, of which
    `disagreements` lists the first ones. `only_differences`: titles of tables that print neither period."""

    printed: int = 0
    agrees: int = 0
    from_zero: int = 0
    one_sided: int = 0
    disagree: int = 0
    disagreements: tuple[Disagreement, ...] = ()
    only_differences: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        said = [f"Oracle prints {self.printed:,} differences: {self.agrees:,} agree with ours within the rounding"]
        if self.from_zero:
            said.append(f"{self.from_zero:,} start from zero, which Oracle calls 0 or 100 % and we leave open")
        if self.one_sided:
            said.append(f"{self.one_sided:,} take a figure that is not printed for zero")
        said.append(
            f"{self.disagree:,} do not follow from the figures beside them" if self.disagree else "none differs"
        )
        text = f"{'; '.join(said)}."
        if self.only_differences:
            tables = ", ".join(self.only_differences)
            text += f" Printed as differences only, and left in Oracle's report: {tables}."
        return text
