"""What a refusal says is what happened: of what was sent, of why, and of what can help."""

from __future__ import annotations

import html

import pytest
from django.template.loader import render_to_string
from django.test import Client

from awrdiff.comparisons import services, tasks
from awrdiff.comparisons.models import Comparison
from awrdiff.processing import sandbox
from awrdiff.processing.models import State
from awrdiff.processing.work_claims import Refused
from awrdiff.reports.models import FILE_LOST, Report
from awrdiff.web import value_formatting as fmt
from awrdiff.web.comparison_dependents import TeamWork
from awrdiff.web.views import errors

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.mark.parametrize(("method", "said"), [("get", errors.FAULT_LOOKING), ("post", errors.FAULT)])
def test_a_fault_speaks_of_what_was_sent_only_where_something_was(monkeypatch, method, said):
    def fall_over(*_args, **_kwargs):
        raise ValueError

    monkeypatch.setattr("awrdiff.web.exception_responses.answer_refusal", fall_over)
    monkeypatch.setattr("awrdiff.web.views.home.page", fall_over)
    monkeypatch.setattr("awrdiff.web.api.comparisons.create_from", fall_over)
    client = Client(raise_request_exception=False, headers=JSON if method == "post" else {})
    answer = getattr(client, method)("/" if method == "get" else "/comparisons/")
    assert answer.status_code == 500
    assert said in html.unescape(answer.content.decode())


class TestWhyAFormIsNotTaken:
    def answered(self, client: Client, **sent) -> str:
        answer = client.post("/comparisons/", sent.pop("data", {}), headers={**JSON, **sent})
        assert answer.status_code == 403
        return answer.json()["error"]

    def test_without_its_cookie_the_age_of_the_page_is_not_to_blame(self):
        assert self.answered(Client(enforce_csrf_checks=True)) == errors.NO_COOKIE

    def test_a_script_without_a_token_is_asked_for_one(self):
        answer = Client(enforce_csrf_checks=True).post("/api/v1/reports")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert answer.json()["detail"] == errors.WHO_ASKS

    def test_from_another_address_loading_it_again_would_not_help(self):
        said = self.answered(Client(enforce_csrf_checks=True), Origin="https://elsewhere.example")
        assert said == errors.FROM_ELSEWHERE

    def test_with_the_token_of_an_older_sign_in_it_is_too_old(self):
        client = Client(enforce_csrf_checks=True)
        client.get("/")
        assert self.answered(client, data={"csrfmiddlewaretoken": "x" * 32}) == errors.TOO_OLD


def failed(report: Report, code: str, **more) -> Report:
    Report.objects.filter(pk=report.pk).update(state=State.FAILED, error="It says why.", error_code=code, **more)
    return report


class TestTryAgain:
    """Offered where another time may end otherwise; what a file's bytes say stays."""

    @pytest.mark.parametrize(
        ("code", "file", "offered"),
        [
            ("not-a-report", "a", False),
            ("encrypted", "a", False),
            (FILE_LOST, "", False),  # removed when its time was over
            (FILE_LOST, "a", True),  # not found: whoever runs the server may put it back
            ("gave-up", "a", True),
            ("too-long", "a", True),
            (sandbox.TOO_MUCH_MEMORY, "a", True),
        ],
    )
    def test_of_a_report_and_of_a_comparison_it_stands_in(self, sign_in, owner, reports, code, file, offered):
        client = sign_in(owner)
        made = services.create_comparison(owner, reports, order_by_time=False)
        failed(reports[1], code, file=file)
        tasks.compute_now(made.pk)
        for url in (f"/reports/{reports[1].pk}/", f"/comparisons/{made.pk}/"):
            page = client.get(url).content.decode()
            assert (">Try again<" in page) is offered, url
            assert "Choose other files" in page

    def test_of_a_comparison_that_is_none_it_is_not(self, sign_in, owner, reports):
        made = services.create_comparison(owner, reports, order_by_time=False)
        Report.objects.update(kind="lgwr_trace")
        tasks.compute_now(made.pk)
        assert Comparison.objects.get(pk=made.pk).is_failed
        assert ">Try again<" not in sign_in(owner).get(f"/comparisons/{made.pk}/").content.decode()


def test_a_limit_of_a_comparison_is_not_said_to_be_one_of_a_report():
    for status in (-24, sandbox._OUT_OF_MEMORY, -11):
        with pytest.raises(Refused) as refused:
            sandbox._judge(status, sandbox.Limits(9, 1 << 30), "Comparing these reports", has_result=False)
        assert "no report does" not in refused.value.sentence
        assert "the reader" not in refused.value.sentence


def test_one_is_no_plural():
    assert [fmt.count_text(n, "row") for n in (0, 1, 2, 1200)] == ["0 rows", "1 row", "2 rows", "1,200 rows"]
    assert fmt.count_text(2, "entry", "entries") == "2 entries"
    one, two = (render_to_string("comparisons/_goes.html", {"team": TeamWork(n, n, n, n, n)}) for n in (1, 2))
    for noun in ("thread", "judgement", "incident"):
        assert f"1 {noun}" in one
        assert f"1 {noun}s" not in one
        assert f"2 {noun}s" in two
    for whose in ("that people keep", "in incidents"):
        assert f"1 piece of evidence {whose}" in one
        assert f"2 pieces of evidence {whose}" in two
