"""What threads are about, and where whoever looks finds them."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.threads.models import Comment
from awrdiff.web import links


@dataclass(frozen=True, slots=True)
class About:
    """`page_url` is of the page it is on; all of its threads stand below `threads_url`: a member's, or a link's."""

    comparison: Comparison
    page_url: str
    threads_url: str

    def thread_url(self, pk: int) -> str:
        return f"{self.threads_url}{pk}/"

    def comment_url(self, comment: Comment) -> str:
        return f"{self.thread_url(comment.thread_id)}comments/{comment.pk}/"


def of_comparison(access: AccessContext, found: Comparison) -> About:
    return About(found, links.comparison(access, found), links.threads(access, found))
