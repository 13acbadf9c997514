"""Second reviews of a post-mortem."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from awrdiff.incidents.queries import incident_for
from awrdiff.postmortems import second_reviews
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.web.content_negotiation import done, form_fields
from awrdiff.web.sign_in.permission_helpers import member


@require_POST
def ask(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `person`, the id of somebody on the team."""
    access = member(request)
    incident = incident_for(access, pk)
    second_reviews.ask(access, postmortem_of(incident), form_fields(request).get("person", ""))
    return done(request, "postmortem", incident.pk)


@require_POST
def withdraw(request: HttpRequest, pk: UUID, review_pk: int) -> HttpResponse:
    """Asks no more; what was answered stays."""
    access = member(request)
    incident = incident_for(access, pk)
    second_reviews.withdraw(access, postmortem_of(incident), review_pk)
    return done(request, "postmortem", incident.pk)


@require_POST
def answer(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `answer` (signed, changes), `why`, and `seen`, the digest of the text read."""
    access = member(request)
    incident = incident_for(access, pk)
    fields = {name: form_fields(request).get(name, "") for name in ("answer", "why", "seen")}
    second_reviews.answer(access, postmortem_of(incident), fields["answer"], fields["why"], seen_digest=fields["seen"])
    return done(request, "postmortem", incident.pk)
