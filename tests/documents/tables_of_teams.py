"""The tables of docs/reference/team.md: who may what, and how much of what there may be."""

from __future__ import annotations

from awrdiff import server_env_variables
from awrdiff.accounts import api_tokens, members_and_invitations, rate_limits, sign_in_limits
from awrdiff.accounts.access import MAY, SCOPES, Can
from awrdiff.accounts.models import Role
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services
from awrdiff.postmortems import services as postmortems
from awrdiff.sharing import access as link_access
from awrdiff.threads import attachment_types, attachments
from awrdiff.threads import services as threads

_CAN = {
    Can.READ: "read all of the team's: reports, comparisons, threads, incidents, post-mortems, links, people",
    Can.COMMENT: "comment, agree, be asked to answer, in the threads that they read",
    Can.UPLOAD: "upload",
    Can.WRITE: "write: compare, pin, confirm or reject, keep incidents and post-mortems, delete",
    Can.SHARE: "share by links and with guests",
    Can.INVITE: "invite, change roles, remove people",
    Can.ADMINISTER: "administer: name the team, send notices to a channel, export it",
    Can.AUDIT: "read its audit log",
}
_SHOWN = "what is shown to them"


def roles() -> str:
    lines = [f"| | {' | '.join(Role.values)} |", f"|---{'|---' * len(Role.values)}|"]
    for can in Can:
        cells = ("yes" if can in MAY[role] else _SHOWN if (can, role) == (Can.READ, Role.GUEST) else "" for role in MAY)
        lines.append(f"| {_CAN[can]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def scopes() -> str:
    said = {**_CAN, Can.READ: "read all of the team's"}
    lines = [f"| `{scope}` | {'; '.join(said[can] for can in Can if can in may)} |" for scope, may in SCOPES.items()]
    return "\n".join(["| scope | it may |", "|---|---|", *lines])


def how_many() -> str:
    by_name = {one.name: one for one in server_env_variables.declared()}

    def a_minute(name: str) -> str:
        return f"{by_name[name].default:,} a minute (`{name}`)"

    mebibytes = attachment_types.LARGEST >> 20
    rows = {
        "changes to incidents, judgements and post-mortems": f"{rate_limits.CHANGES.most} a minute of one person",
        "comments and edits of them": f"{threads.MOST_A_MINUTE} a minute of one person, or by one link",
        "files attached, or sent and refused": f"{attachments.MOST_A_MINUTE} a minute of one person; {attachments.MOST} "
        f"to one comment or event, of {mebibytes} MB and {attachment_types.MOST_PIXELS // 1_000_000} million pixels each",
        "files uploaded, of one person": a_minute("AWRDIFF_UPLOAD_RATE"),
        "invitations": f"{members_and_invitations.MOST_AN_HOUR} an hour by one person, {members_and_invitations.MOST_PENDING} open in a team",
        "tokens": f"{api_tokens.MOST} of a person, {api_tokens.MOST} of a team's services",
        "requests by a token": a_minute("AWRDIFF_TOKEN_RATE"),
        "requests by a link": f"{a_minute('AWRDIFF_LINK_RATE')}, {link_access.MOST_EXPORTS} exports at a time",
        "threads of a comparison or an incident; begun by one link": f"{threads.MOST_THREADS:,}; "
        f"{threads.MOST_THREADS_OF_A_LINK}",
        "comments of a thread": f"{threads.MOST_COMMENTS}, of {threads.LONGEST_COMMENT:,} characters, "
        f"edited {threads.MOST_EDITS} times each",
        "an incident": f"{comparisons_and_reports.MOST_COMPARISONS} comparisons, {comparisons_and_reports.MOST_REPORTS} reports, "
        f"{services.MOST_EVENTS:,} events, {action_items.MOST_ACTIONS} action items, {evidence.MOST_EVIDENCE} pieces of "
        f"evidence, {services.MOST_ROLES} roles",
        "changes of the fields of an incident, or of an action item": f"{services.MOST_REVISIONS}",
        "judgements of a comparison; sign-offs of a judgement": f"{finding_verdicts.MOST_VERDICTS:,}; {finding_verdicts.MOST_SIGN_OFFS}",
        "a post-mortem": f"{postmortems.MOST_VERSIONS:,} versions; a section {postmortems.LONGEST_TEXT:,} characters or "
        f"{postmortems.MOST_LINES:,} lines",
    }
    return "\n".join(["| what | at most |", "|---|---|", *(f"| {what} | {most} |" for what, most in rows.items())])


def sign_ins() -> str:
    name, address, link = sign_in_limits.NAME, sign_in_limits.ADDRESS, sign_in_limits.LINK
    clean, networks = sign_in_limits.CLEAN_ADDRESS, sorted(sign_in_limits.NETWORKS.items(), reverse=True)
    app, recovery = (sign_in_limits.CODES[one].most for one in sign_in_limits.Codes)
    of_networks = ", ".join(f"{address.most * times} of a /{prefix}" for prefix, times in networks)
    clean_networks = ", ".join(f"{clean * times} of a /{prefix}" for prefix, times in networks[1:])
    rows = [
        (
            "passwords of people",
            f"name, of networks that have failed {clean} times themselves ({clean_networks} of IPv6)",
            _waits(name),
        ),
        (
            "",
            "name, by all networks together that have failed less often",
            f"{sign_in_limits.STRANGERS.most}, until all is forgotten",
        ),
        ("", "network, whatever the names", f"{_waits(address)}; of IPv6 {of_networks}"),
        (
            "",
            "browser, instead of all these, where the person has signed in with it before",
            _waits(sign_in_limits.BROWSER),
        ),
        (
            "codes of a second factor",
            "sign-in: the password was right",
            f"{sign_in_limits.SIGN_IN.most}; it begins again",
        ),
        (
            "",
            "account; or browser, where the person has signed in with it since there is a second factor",
            f"{app} of an app, {recovery} recovery codes, until all is forgotten; the account's owner is told",
        ),
        ("passwords of share links", "link, and network", f"{_waits(link)}; networks as of people"),
    ]
    return "\n".join(["| what | is counted by | so many are looked at |", "|---|---|---|", *map(_row, rows)])


def _waits(budget: rate_limits.Budget) -> str:
    return f"{budget.most}; then the next after 2 s, 4 s, 8 s … {budget.longest_s} s"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
