"""The first line of every view for members: `access = member(request)`. Below a share link it is `shared(token)`."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from awrdiff.accounts.access import AccessContext, local_member, member_of_team
from awrdiff.web.sign_in.local_user import refuse_others


def member(request: HttpRequest) -> AccessContext:
    """The member who asks. Raises SignInNeeded or PermissionDenied."""
    if not settings.AWRDIFF_LOCAL_USER:
        return member_of_team(request.user)
    refuse_others(request)
    access = local_member()
    if access.user is not None:
        request.user = access.user
    return access
