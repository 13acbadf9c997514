"""One's own account: address, password, second factor, sessions. The flows are django-allauth's; this holds ours to them."""

from __future__ import annotations

import html
import json
import re
import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.usersessions.models import UserSession
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from awrdiff.accounts.models import Spent, User
from tests.web.conftest import context_of

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "seven lamps of green tin", "eleven boats under a tall pine"
ADDRESS = "olivia@example.com"


@pytest.fixture
def olivia(accounts) -> User:
    found = context_of("olivia", "Payments").user
    found.set_password(PASSWORD)
    found.email = ADDRESS
    found.save()
    EmailAddress.objects.create(user=found, email=ADDRESS, verified=True, primary=True)
    return found


def sign_in(name="olivia", password=PASSWORD, **more) -> Client:
    client = Client(**more)
    client.answer = client.post("/login/", {"login": name, "password": password})
    return client


def is_in(client) -> bool:
    return client.get("/").status_code == 200


def mailed_path(text: str) -> str:
    return re.search(rf"http://testserver(/{text}/\S+)", mail.outbox[-1].body)[1]


def test_one_signs_in_by_name_or_by_confirmed_address(olivia):
    assert is_in(sign_in("olivia"))
    assert is_in(sign_in("Olivia@Example.com"))
    EmailAddress.objects.update(verified=False)
    assert not is_in(sign_in(ADDRESS))


def test_failures_by_name_and_by_address_are_the_same_persons(olivia):
    for number in range(5):
        sign_in("olivia" if number % 2 else ADDRESS, "wrong-horse-Battery")
    assert sign_in("olivia").answer.status_code == 429
    assert sign_in(ADDRESS).answer.status_code == 429


PAGES = (
    *("login/", "login/inactive/", "password/", "password/sent/", "password/done/", "password/1-x/", "confirm-email/"),
    *("confirm-email/x/", "account/email/", "account/password/", "account/confirm/", "account/sessions/"),
    *(
        f"account/second-factor/{rest}"
        for rest in ("", "app/", "app/remove/", "codes/", "codes/new/", "keys/", "keys/add/")
    ),
)


class TestPassword:
    def test_it_is_changed_and_other_sessions_end(self, olivia):
        client, other = sign_in(), sign_in()
        data = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
        assert client.post("/account/password/", data).status_code == 302
        assert is_in(client)
        assert not is_in(other)
        assert is_in(sign_in(password=NEW))
        assert mail.outbox[-1].subject == "[awrdiff] Your password was changed"
        assert "somebody else can sign in as you" in mail.outbox[-1].body

    @pytest.mark.parametrize("new", ["short", "password1234", "olivia-olivia"])
    def test_a_weak_one_is_refused(self, olivia, new):
        sign_in().post("/account/password/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
        assert is_in(sign_in())

    def test_a_forgotten_one_is_replaced_by_a_link_that_works_once(self, olivia):
        client = Client()
        assert client.post("/password/", {"email": ADDRESS})["Location"] == "/password/sent/"
        path = mailed_path("password")
        form = client.get(path)["Location"]
        assert client.post(form, {"password1": NEW, "password2": NEW})["Location"] == "/password/done/"
        assert is_in(sign_in(password=NEW))
        assert b"has been used already" in Client().get(path).content

    def test_the_link_works_for_an_hour_and_ends_with_the_password(self, olivia, monkeypatch):
        later = PasswordResetTokenGenerator._now
        Client().post("/password/", {"email": ADDRESS})
        path = mailed_path("password")
        assert "for an hour" in mail.outbox[-1].body
        for seconds, works in ((3590, True), (3610, False)):
            offset = timedelta(seconds=seconds)
            monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self, by=offset: later(self) + by)
            assert (b"has been used already, has expired" in Client().get(path, follow=True).content) is not works
        monkeypatch.undo()
        olivia.set_password(NEW)  # by whatever way
        olivia.save()
        assert b"has been used already, has expired" in Client().get(path, follow=True).content

    def test_whoever_asks_is_not_told_whether_there_is_an_account(self, olivia):
        known = Client().post("/password/", {"email": ADDRESS})
        unknown = Client().post("/password/", {"email": "nobody@example.com"})
        assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
        assert [m.to for m in mail.outbox] == [[ADDRESS], ["nobody@example.com"]]
        assert "/join/" not in mail.outbox[-1].body

    def test_asking_again_and_again_sends_no_more(self, olivia):
        statuses = [Client().post("/password/", {"email": ADDRESS}).status_code for _ in range(8)]
        assert statuses[-1] == 429
        assert len(mail.outbox) == 5

    @pytest.mark.parametrize(
        "email", ["a@b.c\r\nBcc: eve@evil.example", "x", "", "a@b.c\0", ADDRESS + ",eve@evil.example"]
    )
    def test_what_is_no_address_is_mailed_nothing(self, olivia, email):
        assert Client().post("/password/", {"email": email}).status_code == 200
        assert not mail.outbox

    def test_the_link_names_the_host_that_was_asked_for(self, olivia, settings):
        settings.ALLOWED_HOSTS = ["awr.example.com"]
        assert Client().post("/password/", {"email": ADDRESS}, headers={"Host": "evil.example"}).status_code == 400
        assert not mail.outbox

    def test_with_mails_its_address_is_the_servers_own(self, olivia, settings):
        """Another port of the same name may be somebody else's server."""
        settings.ALLOWED_HOSTS, settings.AWRDIFF_ADDRESS = ["*"], "https://awr.example.com"
        for asked_for in (ADDRESS, "nobody@example.com"):
            Client().post("/password/", {"email": asked_for}, headers={"Host": "evil.example:8443"})
        first, second = (one.body for one in mail.outbox)
        assert re.search(r"^https://awr\.example\.com/password/\w+-[\w-]+/$", first, re.M)
        assert "evil" not in first + second
        assert "awrdiff at awr.example.com" in second

    def test_a_cache_that_is_away_is_said(self, olivia, settings):
        redis = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:9/0"}
        settings.CACHES = {"default": redis}
        answer = Client().post("/password/", {"email": ADDRESS}, headers={"Accept": "application/json"})
        assert (answer.status_code, "cache" in answer.json()["error"]) == (503, True)
        assert not mail.outbox


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "http://testserver:9000/", "http://other.testserver/", "javascript:1"],
)
def test_signing_in_leads_to_no_other_server(olivia, settings, elsewhere):
    settings.ALLOWED_HOSTS = ["testserver", ".testserver"]
    answer = Client().post("/login/", {"login": "olivia", "password": PASSWORD, "next": elsewhere})
    assert (answer.status_code, answer["Location"]) == (302, "/")


class TestAddress:
    def test_a_new_one_counts_once_it_is_confirmed(self, olivia):
        client = sign_in()
        client.post("/account/confirm/", {"password": PASSWORD})
        client.post("/account/email/", {"action_add": "", "email": "new@example.com"})
        olivia.refresh_from_db()
        assert olivia.email == ADDRESS
        path = mailed_path("confirm-email")
        assert b"new@example.com" in client.get(path).content
        client.post(path)
        olivia.refresh_from_db()
        assert olivia.email == "new@example.com"
        assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.com", True)]

    def test_an_invented_key_confirms_nothing(self, olivia):
        page = Client().get("/confirm-email/MQ:1tabc:invented/")
        assert b"has expired, or is not whole" in page.content


class TestSessions:
    def test_they_are_listed_and_others_ended(self, olivia):
        here = sign_in(headers={"User-Agent": "Firefox <b>here</b>"})
        there = sign_in(headers={"User-Agent": "Chromium there"})
        page = here.get("/account/sessions/").content.decode()
        assert "Chromium there" in page
        assert "Firefox &lt;b&gt;here" in page
        assert "127.0.0.1" in page
        here.post("/account/sessions/")
        assert is_in(here)
        assert not is_in(there)
        assert UserSession.objects.count() == 1

    def test_nobody_sees_those_of_others(self, olivia, colleague):
        sign_in(headers={"User-Agent": "olivias"})
        carl = Client()
        carl.force_login(colleague.user)
        assert b"olivias" not in carl.get("/account/sessions/").content


def code_of(user, offset_s=0) -> str:
    """What the app shows now, or as many seconds from now."""
    found = Authenticator.objects.get(user=user, type="totp")
    return code(totp.decrypt(found.data["secret"]), offset_s)


def code(secret: str, offset_s: float = 0) -> str:
    counter = int((time.time() + offset_s) // 30)
    return totp.format_hotp_value(totp.hotp_value(secret, counter))


class TestSecondFactor:
    @pytest.fixture
    def with_app(self, olivia) -> User:
        client = sign_in()
        client.post("/account/confirm/", {"password": PASSWORD})
        page = client.get("/account/second-factor/app/").content.decode()
        assert 'src="data:image/svg+xml;base64,' in page
        secret = re.search(r'value="([A-Z2-7]{32})"', page)[1]
        answer = client.post("/account/second-factor/app/", {"code": code(secret)})
        assert answer["Location"] == "/account/second-factor/codes/"
        shown = re.search(r"<textarea[^>]*>(.*?)</textarea>", client.get(answer["Location"]).content.decode(), re.S)[1]
        self.codes = html.unescape(shown).splitlines()
        assert all(re.fullmatch(r"\d{8}", one) for one in self.codes)
        return olivia

    def test_pages_are_in_our_own_words(self, olivia):
        """The library's own templates speak another language: “Third-Party Login Failure”, “Bad Token”."""
        client = sign_in()
        client.post("/account/confirm/", {"password": PASSWORD})
        before = [client.get(f"/{path}") for path in PAGES]
        secret = re.search(r'value="([A-Z2-7]{32})"', client.get("/account/second-factor/app/").content.decode())[1]
        client.post("/account/second-factor/app/", {"code": code(secret)})
        half = sign_in()  # the password was right, the code is still to come
        after = [client.get(f"/{path}") for path in PAGES] + [half.get("/login/second-factor/")]
        used = {t.name: t.origin.name or "" for answer in before + after for t in answer.templates}
        assert "mfa/authenticate.html" in used
        assert "mfa/totp/activate_form.html" in used
        assert "mfa/recovery_codes/index.html" in used
        own = ("account/", "mfa/", "usersessions/")
        assert not {name for name, origin in used.items() if name.startswith(own) and "site-packages" in origin}

    def test_then_the_password_alone_lets_nobody_in(self, with_app):
        client = sign_in()
        assert client.answer["Location"] == "/login/second-factor/"
        assert not is_in(client)
        assert client.get("/account/email/").status_code == 302
        assert client.post("/login/second-factor/", {"code": code_of(with_app, 30)}).status_code == 302
        assert is_in(client)

    def test_a_new_password_by_mail_does_not_stand_for_the_second_factor(self, with_app):
        Client().post("/password/", {"email": ADDRESS})
        client = Client()
        form = client.get(mailed_path("password"))["Location"]
        assert client.post(form, {"password1": NEW, "password2": NEW})["Location"] == "/password/done/"
        assert not is_in(client)
        assert sign_in(password=NEW).answer["Location"] == "/login/second-factor/"
        assert not is_in(sign_in(password=NEW))

    def test_a_code_works_once(self, with_app):
        used = code_of(with_app, 30)
        assert is_in(_with_code(used))
        assert not is_in(_with_code(used))

    def test_nor_does_it_count_again_in_another_process_or_half_a_minute_later(self, with_app):
        given = code_of(with_app, 30)
        assert is_in(self.with_code(given))
        cache.clear()
        assert not is_in(self.with_code(given))
        assert not is_in(self.with_code(code_of(with_app)))
        assert is_in(self.with_code(self.codes[0]))

    def with_code(self, given: str) -> Client:
        client = sign_in()
        client.post("/login/second-factor/", {"code": given})
        return client

    def test_a_recovery_code_works_once(self, with_app):
        assert len(self.codes) == 10
        assert is_in(_with_code(self.codes[0]))
        assert not is_in(_with_code(self.codes[0]))

    def test_who_has_lost_it_is_let_in_again_by_whoever_runs_the_server(self, with_app, capsys):
        call_command("remove_second_factor", "olivia")
        assert "has none any more" in capsys.readouterr().out
        assert is_in(sign_in())
        with pytest.raises(CommandError, match="nobody of the name"):
            call_command("remove_second_factor", "oliver")

    def test_it_is_not_switched_off_without_the_password(self, with_app):
        client = sign_in()
        client.post("/login/second-factor/", {"code": code_of(with_app, 30)})
        session = client.session
        for record in session["account_authentication_methods"]:
            record["at"] -= 3600
        session.save()
        assert client.post("/account/second-factor/app/remove/")["Location"].startswith("/account/confirm/?next=")
        assert Authenticator.objects.filter(type="totp").exists()

    def test_key_registration_asks_for_the_server_that_was_asked_for(self, olivia):
        client = sign_in()
        client.post("/account/confirm/", {"password": PASSWORD})
        page = client.get("/account/second-factor/keys/add/").content.decode()
        options = json.loads(re.search(r'<script id="js_data" type="application/json">(.*?)</script>', page, re.S)[1])
        assert options["creation_options"]["publicKey"]["rp"]["id"] == "testserver"

    def test_the_password_to_confirm_who_one_is_counts_as_an_attempt(self, olivia):
        client = sign_in()
        Spent.objects.all().delete()
        client.cookies.pop("awrdiff_browser")
        for _ in range(5):
            client.post("/account/confirm/", {"password": "wrong-horse-Battery"})
        assert client.post("/account/confirm/", {"password": PASSWORD}).status_code == 429


def _with_code(code: str) -> Client:
    client = sign_in()
    client.answer = client.post("/login/second-factor/", {"code": code})
    return client


INLINE = re.compile(r"<script(?![^>]*(?:src=|type=\"application/json\"))|\son\w+=|javascript:", re.I)


@pytest.mark.parametrize(
    "path",
    [
        "email",
        "password",
        "sessions",
        "second-factor",
        "second-factor/app",
        "second-factor/keys",
        "second-factor/keys/add",
    ],
)
def test_no_page_has_a_script_that_the_policy_forbids(olivia, path):
    client = sign_in()
    client.post("/account/confirm/", {"password": PASSWORD})
    answer = client.get(f"/account/{path}/")
    assert answer.status_code == 200
    assert not INLINE.search(answer.content.decode())
    assert "script-src 'self';" in answer["Content-Security-Policy"] + ";"
    assert 'aria-label="Your account"' in answer.content.decode()


def test_what_is_not_wanted_has_no_address(olivia):
    client = sign_in()
    for path in (
        "/accounts/",
        "/login/code/",
        "/phone/verify/",
        "/account/connections/",
        "/signup/passkey/",
        "/trust/",
    ):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("mails", [True, False])
def test_a_server_that_sends_no_mail_does_not_say_that_it_did(olivia, settings, mails):
    settings.AWRDIFF_MAILS = mails
    page = Client().get("/password/").content.decode()
    assert ("AWRDIFF_SMTP" in page) is not mails
    assert ('name="email"' in page) is mails
    client = sign_in()
    client.post("/account/confirm/", {"password": PASSWORD})
    client.post("/account/email/", {"action_add": "", "email": "new@example.com"})
    said = client.get("/account/email/").content.decode()
    assert ("A mail is on its way to new@example.com" in said) is mails
    assert ("This server sends no mail" in said) is not mails
