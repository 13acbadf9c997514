"""One currency for all findings, active sessions: what is too small to be said, how bad it is, and what comes first.

Seconds of DB time per second of elapsed time can be added up and compared across events, statements, objects and CPU,
and between windows of different length. A finding without a measure in sessions (a parameter, a restart) stands with
the finding it may explain, or last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Finding, Sessions, Severity
from awrdiff.analysis.verdict.rules.facts import Facts, Said

CRITICAL_SHARE = 0.25  # of the rise of DB time
CRITICAL_LEAST = 0.5  # sessions: a rise of less alarms nobody, whatever its share
WARNING_SHARE = 0.05  # of the busier side's DB time
_RANK = {"critical": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Ledger:
    """`first` and `second`: average active sessions of the sides; None = not printed.

    `least`: fewer sessions are not worth a word. `rose`: Second has more DB time per second.
    """

    first: float | None
    second: float | None
    cpus: int | None
    least: float
    rose: bool

    @classmethod
    def of(cls, facts: Facts) -> Ledger:
        cpus = [n for n in (facts.first.cpus, facts.second.cpus) if n]
        sides = (facts.first.active_sessions, facts.second.active_sessions)
        return cls(*sides, max(cpus, default=None), facts.least_sessions, facts.rose)

    @property
    def rise(self) -> float:
        """Of DB time from First to Second, in sessions; 0 where it fell or is not known."""
        if self.first is None or self.second is None:
            return 0.0
        return max(self.second - self.first, 0.0)

    def finding(self, rule: str, said: Said) -> Finding | None:
        """`said` with its severity; None where it is about too little to be said."""
        if said.sessions is not None and said.sessions.size < self.least:
            return None
        return Finding(
            rule=rule,
            severity=self._severity(said),
            title=said.title,
            text=said.text,
            evidence=said.evidence,
            sessions=said.sessions,
            subject=said.subject,
            tone=said.tone,
            explains=said.explains,
        )

    def ordered(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """By size; what has none behind the finding it may explain, or last, the more severe first."""
        sized = sorted((f for f in findings if f.sessions), key=lambda f: -(f.sessions.size if f.sessions else 0.0))
        others = sorted((f for f in findings if not f.sessions), key=lambda f: _RANK[f.severity])
        out: list[Finding] = []
        for finding in sized:
            out.append(finding)
            out += [o for o in others if o not in out and finding.rule in o.explains]
        return (*out, *(o for o in others if o not in out))

    def _severity(self, said: Said) -> Severity:
        if said.sessions is None:
            return said.severity or "note"
        if said.tone != "worse":
            return "note"
        if self._is_critical(said.sessions):
            return "critical"
        busier = max(self.first or 0.0, self.second or 0.0)
        return "warning" if said.sessions.size >= WARNING_SHARE * busier else "note"

    def _is_critical(self, sessions: Sessions) -> bool:
        """DB time rose, and this is a quarter of the rise or as much as all the CPUs."""
        if not self.rose or sessions.change < CRITICAL_LEAST:
            return False
        return sessions.change >= CRITICAL_SHARE * self.rise or bool(self.cpus and sessions.change >= self.cpus)
