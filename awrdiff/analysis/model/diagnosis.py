"""Answer to what happened between two reports: sick hour, cause, exclusions."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from awrdiff.analysis.model.ranked_changes import Subject
from awrdiff.analysis.report_time_windows import SPAN_WORDS, SpanWord

State = Literal["second_worse", "first_was_sick", "both_sick", "calm", "other_work", "different_databases", "partial"]
STATES: tuple[State, ...] = get_args(State)
Health = Literal["sick", "calm", "partial"]


class Trouble(Struct, frozen=True):
    """Reason to call an hour sick; `rule`: of its finding.

    `sessions`: active sessions; `share` of DB time (0..1); `text`: clause with a figure.
    """

    name: str
    rule: str
    sessions: float
    share: float
    text: str


class Cause(Struct, frozen=True):
    """Finding that the headline is about."""

    rule: str
    subject: Subject | None = None


class Answer(Struct, frozen=True):
    """Empty texts are "".

    `not_the_cause`: clauses with excluding figures. `findings`: indices of the headline's. `first`, `second`: troubles,
    largest first. Comparisons of older engines are `partial`, without headline.
    """

    state: State = "partial"
    headline: str = ""
    detail: str = ""
    cause: Cause | None = None
    not_the_cause: tuple[str, ...] = ()
    findings: tuple[int, ...] = ()
    improvement: str = ""
    first: tuple[Trouble, ...] = ()
    second: tuple[Trouble, ...] = ()
    span: SpanWord = "hour"

    @property
    def is_all_clear(self) -> bool:
        """True if neither hour is sick and both are complete."""
        return self.state in ("calm", "other_work", "different_databases") and not (self.first or self.second)

    @property
    def beside(self) -> tuple[str, ...]:
        """Lines below the headline: details, exclusions, improvement."""
        excluded = f"Not the cause: {'; '.join(self.not_the_cause)}." if self.not_the_cause else ""
        return tuple(filter(None, (self.detail, excluded, self.improvement)))

    @property
    def claim(self) -> str:
        """Headline without the words that name its hour."""
        bare = self.headline
        for lead in FIRST_LEADS:
            bare = bare.removeprefix(lead)
        return f"{bare[:1].upper()}{bare[1:]}" if bare.split(" ", 1)[0].isalpha() else bare

    @property
    def badge(self) -> str:
        """State in brief; without trouble not sick, even if worse."""
        if self.state == "first_was_sick" and not self.first:
            return f"First was the worse {self.span}"
        return BADGES[self.state].replace("hour", self.span)


NO_ANSWER = Answer()
# With a trouble of its own, and without.
FIRST_LEADS = tuple(f"First was the {how} {span}: " for span in SPAN_WORDS for how in ("sick", "worse"))
BADGES: dict[State, str] = {
    "second_worse": "Second got worse",
    "first_was_sick": "First was the sick hour",
    "both_sick": "Both hours are sick",
    "calm": "Calm",
    "other_work": "Other work",
    "different_databases": "Different databases",
    "partial": "Not enough was read",
}
