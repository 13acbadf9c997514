"""Who knows a password and guesses at the second factor: how many codes are looked at, and what stays open."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.utils import timezone

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.models import Spent, User
from awrdiff.accounts.services import join
from awrdiff.accounts.sign_in_limits import CODES, SIGN_IN, Codes, SignInEnded, TooManyFailures
from awrdiff.notices import outbox, services
from awrdiff.notices.models import Delivery, Notice, NoticeChoice, TeamNotices, Way

pytestmark = pytest.mark.django_db
PASSWORD, WRONG, SECRET = "seven lamps of green tin", "000000", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE = "/login/second-factor/"
JSON = {"Accept": "application/json"}


@pytest.fixture(autouse=True)
def olivia(accounts, settings) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    made = User(username="olivia")
    made.set_password(PASSWORD)
    made.save()
    join(made, "Payments")
    app = totp.TOTP.activate(made, SECRET).instance
    RecoveryCodes.activate(made)
    Authenticator.objects.filter(pk=app.pk).update(created_at=timezone.now() - timedelta(days=1))
    return made


@pytest.fixture
def looks(monkeypatch) -> list[str]:
    """Each code that was held against the app's."""
    found: list[str] = []
    whole = totp.TOTP.validate_code

    def counting(self, code):
        found.append(code)
        return whole(self, code)

    monkeypatch.setattr(totp.TOTP, "validate_code", counting)
    return found


def half_in(client: Client | None = None, address: str = "192.0.2.1") -> Client:
    """The password was right."""
    client = client or Client(REMOTE_ADDR=address)
    answer = client.post("/login/", {"login": "olivia", "password": PASSWORD}, REMOTE_ADDR=address)
    assert answer["Location"] == CODE
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def right() -> str:
    """What the app shows next, which no test has used yet."""
    return totp.format_hotp_value(totp.hotp_value(SECRET, int(time.time() // 30) + 1))


def recovery(user: User, nth: int = 0) -> str:
    return Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()[nth]


def close(codes: Codes = Codes.APP) -> None:
    """As many wrong ones as are taken in an hour."""
    for n in range(CODES[codes].most):
        client = half_in() if n % (SIGN_IN.most - 1) == 0 else client  # noqa: F821 - of the round before
        client.post(CODE, {"code": WRONG if codes == Codes.APP else "00000000"})


def test_forty_codes_from_as_many_networks_get_five_looks_each_sign_in_and_ten_an_hour(looks):
    client, in_this, most = half_in(), 0, 0
    for n in range(40):
        address = f"2001:db8:{n:x}::1"
        before = len(looks)
        answer = client.post(CODE, {"code": f"{n:06}"}, REMOTE_ADDR=address)
        in_this += len(looks) - before
        most = max(most, in_this)
        if answer.status_code == 302:
            client, in_this = half_in(address=address), 0
    assert (most, len(looks)) == (SIGN_IN.most, CODES[Codes.APP].most) == (5, 10)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 3_500
    assert client.post(CODE, {"code": right()}).status_code == 429
    assert not is_in(client)


def test_any_number_of_half_signed_in_sessions_get_no_more(looks):
    for client in [half_in(address=f"10.0.0.{n}") for n in range(30)]:
        client.post(CODE, {"code": WRONG})
    assert len(looks) == 10


def test_after_five_it_is_the_password_again():
    client = half_in()
    answers = [client.post(CODE, {"code": WRONG}) for _ in range(SIGN_IN.most)]
    assert [one.status_code for one in answers] == [200, 200, 200, 200, 302]
    assert answers[-1]["Location"] == "/login/"
    assert "5 wrong codes: sign in again." in client.get("/login/").content.decode()
    assert client.post(CODE, {"code": right()})["Location"] == "/login/"
    assert not is_in(client)
    half_in(client)
    client.post(CODE, {"code": right()})
    assert is_in(client)


def test_a_session_that_a_parallel_answer_writes_back_gets_none_either(looks):
    """Of two requests of one session the later one saves what it had read."""
    client = half_in()
    kept = Session.objects.get(session_key=client.session.session_key).session_data
    for _ in range(SIGN_IN.most):
        client.post(CODE, {"code": WRONG})
    Session.objects.filter(session_key=client.session.session_key).update(session_data=kept)
    assert client.post(CODE, {"code": right()})["Location"] == "/login/"
    assert len(looks) == SIGN_IN.most
    assert not is_in(client)


def test_codes_count_before_they_are_looked_at():
    for n in range(CODES[Codes.APP].most):
        sign_in_limits.begin_code("olivia", Codes.APP, browser=None, sign_in=f"a {n}")
    with pytest.raises(TooManyFailures):
        sign_in_limits.begin_code("olivia", Codes.APP, browser=None, sign_in="another")
    for _ in range(SIGN_IN.most):
        sign_in_limits.begin_code("carl", Codes.APP, browser=None, sign_in="a")
    with pytest.raises(SignInEnded):
        sign_in_limits.begin_code("carl", Codes.APP, browser=None, sign_in="a")


def test_an_hour_after_the_last_one_codes_are_taken_again():
    close()
    assert half_in().post(CODE, {"code": right()}).status_code == 429
    Spent.objects.update(last_at=timezone.now() - timedelta(minutes=59))
    assert half_in().post(CODE, {"code": right()}).status_code == 429
    Spent.objects.update(last_at=timezone.now() - timedelta(minutes=61))
    client = half_in()
    client.post(CODE, {"code": right()})
    assert is_in(client)


def test_a_right_code_begins_no_new_ten(looks):
    for n in range(CODES[Codes.APP].most - 1):
        client = half_in() if n % 4 == 0 else client  # noqa: F821 - of the round before
        client.post(CODE, {"code": WRONG})
    owner = half_in()
    owner.post(CODE, {"code": right()})
    assert is_in(owner)
    del looks[:]
    for _ in range(3):
        half_in().post(CODE, {"code": WRONG})
    assert len(looks) == 1


class TestWhatStaysOpen:
    def test_recovery_codes(self, olivia):
        close()
        client = half_in()
        refused = client.post(CODE, {"code": right()})
        assert refused.status_code == 429
        assert 'name="code"' in refused.content.decode()
        assert "A recovery code, a security key, and a browser" in refused.content.decode()
        client.post(CODE, {"code": recovery(olivia)})
        assert is_in(client)

    def test_which_are_bounded_too_and_leave_the_app_open(self, olivia):
        close(Codes.RECOVERY)
        assert half_in().post(CODE, {"code": recovery(olivia)}).status_code == 429
        client = half_in()
        client.post(CODE, {"code": right()})
        assert is_in(client)

    def test_a_browser_that_signed_in_before(self, olivia):
        mine = half_in()
        mine.post(CODE, {"code": recovery(olivia)})
        mine.post("/logout/")
        close()
        assert half_in().post(CODE, {"code": right()}).status_code == 429
        half_in(mine).post(CODE, {"code": right()})
        assert is_in(mine)

    def test_which_has_ten_of_its_own(self, olivia, looks):
        mine = half_in()
        mine.post(CODE, {"code": recovery(olivia)})
        mine.post("/logout/")
        del looks[:]
        for _ in range(4):
            half_in(mine)
            for _ in range(SIGN_IN.most):
                mine.post(CODE, {"code": WRONG})
        assert len(looks) == 10
        client = half_in()
        client.post(CODE, {"code": right()})
        assert is_in(client)

    def test_not_one_that_signed_in_by_the_password_alone(self, olivia):
        """Whoever knew it then may have a thousand of these."""
        mine = half_in()
        mine.post(CODE, {"code": recovery(olivia)})
        mine.post("/logout/")
        Authenticator.objects.filter(type="totp").update(created_at=timezone.now() + timedelta(seconds=2))
        close()
        assert half_in(mine).post(CODE, {"code": right()}).status_code == 429


def test_scripts_are_told_by_status(olivia):
    client = half_in()
    answers = [client.post(CODE, {"code": WRONG}, headers=JSON) for _ in range(SIGN_IN.most)]
    assert (answers[-1].status_code, answers[-1].json()) == (401, {"error": "5 wrong codes: sign in again."})
    close()
    refused = half_in().post(CODE, {"code": WRONG}, headers=JSON)
    assert refused.status_code == 429
    assert "try again in" in refused.json()["error"]


def test_to_confirm_who_one_is_takes_as_many(looks):
    client = half_in()
    client.post(CODE, {"code": right()})
    client.cookies.pop("awrdiff_browser")
    del looks[:]
    answers = [client.post("/account/second-factor/confirm/", {"code": WRONG}) for _ in range(15)]
    assert (len(looks), answers[-1].status_code) == (10, 429)


class TestItsOwnerIsTold:
    @pytest.fixture(autouse=True)
    def mails(self, olivia, settings):
        settings.AWRDIFF_MAILS = True
        settings.AWRDIFF_NOTICES_ADDRESS = "https://awr.example.com"
        EmailAddress.objects.create(user=olivia, email="olivia@example.com", verified=True, primary=True)

    def sent(self) -> list[str]:
        for one in Delivery.objects.filter(way=Way.MAIL):
            outbox.deliver(one.pk)
        return [one.body for one in mail.outbox]

    def test_with_the_last_code_of_the_hour_and_not_before(self):
        for _ in range(2):
            client = half_in()
            for _n in range(SIGN_IN.most):
                assert not Notice.objects.exists()
                client.post(CODE, {"code": WRONG})
        told = Notice.objects.get()
        assert (told.user.username, told.what, told.kind) == ("olivia", "codes", "account")
        (body,) = self.sent()
        assert "Wrong codes of your second factor were entered" in body
        assert "https://awr.example.com/account/password/" in body

    def test_once_a_day(self, monkeypatch):
        monkeypatch.setitem(CODES, Codes.RECOVERY, CODES[Codes.APP])  # the hundred: TestWhatStaysOpen
        for _ in range(3):
            close()
            Spent.objects.all().delete()
        assert Notice.objects.count() == 1
        close(Codes.RECOVERY)
        assert Notice.objects.count() == 2

    @pytest.mark.parametrize("chosen", ["none", "digest"])
    def test_whatever_mails_they_chose_and_once_of_several_teams(self, olivia, chosen):
        join(olivia, "Second")
        NoticeChoice.objects.create(user=olivia, mail=chosen)
        close()
        assert sorted(Notice.objects.values_list("team__name", flat=True)) == ["Payments", "Second"]
        assert not Notice.objects.filter(for_digest=True).exists()
        assert len(self.sent()) == 1

    def test_and_nobody_else(self, olivia):
        team = olivia.teams.get()
        carl = User.objects.create(username="carl")
        join(carl, "Payments")
        TeamNotices.objects.create(team=team, url="https://hooks.example.com/x")
        close()
        assert not Delivery.objects.filter(way=Way.WEBHOOK).exists()
        assert not Notice.objects.filter(user=carl).exists()

    def test_the_notice_leads_to_where_the_password_is_changed(self, olivia):
        close()
        client = Client()
        client.force_login(olivia)
        page = client.get("/notices/").content.decode()
        assert "Wrong codes of your second factor" in page
        answer = client.post(f"/notices/{Notice.objects.get().pk}/")
        assert answer["Location"] == "/account/password/"
        assert client.get(answer["Location"]).status_code == 200

    def test_without_a_mail_server_by_the_notice_alone(self, settings):
        settings.AWRDIFF_MAILS = False
        close()
        assert Notice.objects.count() == 1
        assert not Delivery.objects.exists()


def test_who_is_on_no_team_is_no_fault_of_ours(olivia):
    olivia.membership_set.all().delete()
    close()
    assert not Notice.objects.exists()
    assert services.tell_account(olivia, "codes", key="x") is None
