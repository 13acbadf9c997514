"""A thread's quote and comments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from awrdiff.accounts.access import AccessContext, guest_roles
from awrdiff.accounts.models import Membership
from awrdiff.comparisons import anchors
from awrdiff.comparisons.anchors import PairOrView, Standing
from awrdiff.postmortems import suggested_changes
from awrdiff.threads.comment_rendering import html
from awrdiff.threads.models import Comment, Thread, Turn
from awrdiff.threads.queries import is_own
from awrdiff.web.presenters.incident.json_types import as_documents
from awrdiff.web.presenters.threads import author_names
from awrdiff.web.presenters.threads.attachments import AttachedFile, AttachmentLine, attachment_lines, left_out_text
from awrdiff.web.presenters.threads.list_lines_and_marks import ThreadLine, why
from awrdiff.web.presenters.threads.subject_addresses import SECTION, About, AboutComparison, AboutIncident
from awrdiff.web.value_formatting import moment


class Quote(Struct):
    """Figures as label, text then, text now; `note`: changes since; `then`: the day."""

    rows: list[tuple[str, str, str]]
    then: str
    gone: bool
    changed: bool
    note: str


class CommentDocument(Struct, kw_only=True):
    """`outside`: from a link holder, name unverified; `files_left_out`: below a redacted link."""

    at: str
    files: list[AttachedFile]
    id: int
    author: str
    author_shown: str
    html: str
    body: str
    edited: str
    deleted: str
    agree: list[str]
    agree_shown: list[str]
    url: str
    outside: bool
    files_left_out: str = ""


class CommentLine(CommentDocument, kw_only=True):
    """Additional fields of the page."""

    agrees: bool
    is_yours: bool
    can_remove: bool
    can_agree: bool
    agree_url: str
    attachments: tuple[AttachmentLine, ...]
    suggests: str = ""  # digest of a change of a section, to be accepted or rejected


class ThreadDocument(ThreadLine):
    quote: Quote
    talk: list[CommentDocument] = field(name="said")


class ChangedThread(ThreadLine):
    """The thread's current state; `comment`: the new comment."""

    comment: int | UnsetType = UNSET


def comment_document(line: CommentLine) -> CommentDocument:
    return as_documents(CommentDocument, [line])[0]


def thread_document(view: Mapping[str, Any]) -> ThreadDocument:
    return ThreadDocument(**asdict(view["line"]), quote=view["quote"], talk=as_documents(CommentDocument, view["talk"]))


def present(
    access: AccessContext,
    about: AboutComparison | AboutIncident,
    thread: Thread,
    line: ThreadLine,
    *,
    now: Standing | None,
    comments: Collection[Comment],
    turns: Collection[Turn],
    view: PairOrView,
    known_names: author_names.Names,
) -> dict[str, Any]:
    began = access.user is not None and thread.started_by_id == access.user.pk
    comment_lines = [comment_line(access, about, comment, known_names) for comment in comments]
    if access.can_write and not thread.is_resolved and thread.anchor.startswith(SECTION):
        for shown_line in comment_lines:
            shown_line.suggests = suggested_changes.digest_of(shown_line.body)
    return {
        "line": line,
        "quote": quote_of(about, thread, now, view),
        "talk": comment_lines,
        "turns": [
            f"{known_names.shown_name(turn.user.get_username())} ({why(turn, known_names)})"
            for turn in (() if access.is_shared else turns)
        ],
        "place_url": about.place_url(line.anchor, view),
        "is_thing": line.anchor.startswith(anchors.ENTITY),  # the place has a panel
        "can_settle": access.can_write or (access.can_comment and began),
        "names_asked": not access.is_shared and is_read_under_pseudonyms(thread),  # may stay beside pseudonyms
        "read_outside": "" if access.is_shared else _readers(thread),
        "audience": audience_of(access, about, thread),
    }


def is_read_under_pseudonyms(thread: Thread) -> bool:
    """By holders of a working redacted link."""
    return thread.pseudonyms and thread.link is not None and thread.link.is_live


def _readers(thread: Thread) -> str:
    if not thread.is_from_outside:
        return ""
    if thread.link is None or not thread.link.is_live:
        return "The link does not work any more: only the team reads this."
    instead = " They read “the team” for every name you mention, and all else as you write it." * thread.pseudonyms
    return f"Whoever holds the link reads this.{instead}"


def quote_of(about: AboutComparison | AboutIncident, thread: Thread, now: Standing | None, view: PairOrView) -> Quote:
    """`now` is None if it is gone."""
    then, figures = dict(Standing.then(thread).figures), dict(now.figures) if now else {}
    rows = [(label, then.get(label, "–"), figures.get(label, "–")) for label in dict.fromkeys([*then, *figures])]
    gone = now is None
    note = about.note(thread, view, gone=gone)
    return Quote(rows, f"{thread.created_at:%d %b %Y}", gone, not gone and then != figures, note)


def now_alone(standing: Standing) -> Quote:
    """For a new thread."""
    return Quote([(label, text, text) for label, text in standing.figures], then="", gone=False, changed=False, note="")


def comment_line(access: AccessContext, about: About, comment: Comment, known_names: author_names.Names) -> CommentLine:
    own, body = access.can_comment and is_own(access, comment), author_names.body_of(access, comment, known_names)
    agree = [agreement.user.get_username() for agreement in comment.agreements.all()]
    by = author_names.of_deleter(access, comment, known_names)
    agree_by, agree_shown = author_names.of_those(access, known_names, agree)
    files = list(comment.attachments.all()) if getattr(comment, "attached", True) else []
    hides_names = author_names.hides(access)
    attachments = () if hides_names else attachment_lines(access, files)
    return CommentLine(
        id=comment.pk,
        author=author_names.of_author(access, comment),
        author_shown=author_names.shown_author(access, comment),
        html=body_html(body, comment.mentions, known_names),
        body=body,
        at=comment.created_at.isoformat(),
        edited=moment(comment.edited_at) if comment.edited_at else "",
        deleted=f"deleted by {by} on {moment(comment.deleted_at)}" if comment.deleted_at else "",
        agree=agree_by,
        agree_shown=agree_shown,
        agrees=access.user is not None and access.user.get_username() in agree,
        is_yours=own and not comment.is_deleted,
        can_remove=(own or access.can_administer) and not comment.is_deleted,
        can_agree=access.user is not None and access.can_comment and not own and not comment.is_deleted,
        url=about.comment_url(comment),
        agree_url=f"{about.comment_url(comment)}agree/",
        outside=comment.guest is not None,
        attachments=attachments,
        files=as_documents(AttachedFile, attachments),
        files_left_out=left_out_text(len(files)) if hides_names else "",
    )


def body_html(body: str, mentions: Sequence[str], known_names: author_names.Names) -> SafeString:
    return mark_safe(html(body, mentions, known_names.display_names))  # noqa: S308 - made and cleaned in awrdiff.threads.comment_rendering


TEAM_ONLY, GUESTS_TOO = "team only", "guests too"


def audience_is_asked(access: AccessContext, about: AboutComparison | AboutIncident) -> bool:
    """Once the team has guests, members choose."""
    if not access.can_write or isinstance(about, AboutIncident):
        return False
    return Membership.objects.filter(team=access.team, role__in=guest_roles()).exists()


def chosen_audience(form_fields: Mapping[str, str]) -> bool | None:
    """`for_guests`: 1 or 0; unticked with `guests_asked` is 0; None: default."""
    return {"1": True, "0": False}.get(form_fields.get("for_guests", "0" if "guests_asked" in form_fields else ""))


def audience_of(access: AccessContext, about: AboutComparison | AboutIncident, thread: Thread) -> str:
    """For members; "" if not asked."""
    if not audience_is_asked(access, about):
        return ""
    return GUESTS_TOO if thread.for_guests else TEAM_ONLY
