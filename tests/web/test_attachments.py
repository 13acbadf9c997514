"""Pictures and files of comments and of events on a timeline: what is kept, who sees it, and what is left when it goes."""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from PIL import Image

from awrdiff.accounts.errors import TooMuch
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import guest_access
from awrdiff.incidents import services as incidents
from awrdiff.incidents import timeline
from awrdiff.incidents.models import TimelineEvent
from awrdiff.reports import files
from awrdiff.reports.errors import TooLarge, UploadRefused, WrongKind
from awrdiff.reports.models import LooseFile
from awrdiff.threads import attachment_types, attachments
from awrdiff.threads import services as threads
from awrdiff.threads.attachment_types import examined
from awrdiff.threads.models import Attachment, Comment, Thread
from tests.harness.pictures import picture
from tests.web.cast import attached_to, talk_of
from tests.web.conftest import context_of
from tests.web.redacted import redacted_link
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
PLACE = "init_parameters"


@pytest.fixture(autouse=True)
def kept(settings, tmp_path) -> Path:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    return tmp_path / "files"


@pytest.fixture
def comment(owner, comparison) -> Comment:
    return threads.start(owner, comparison, PLACE, "Look.", uuid4()).comment


@pytest.fixture
def event(owner) -> TimelineEvent:
    found = incidents.make(owner, incidents.Typed("Slow", begins_at="2024-01-01T11:05"))
    return timeline.add(owner, found, timeline.TypedEvent("2024-01-01T11:30", "failover"))


def stored(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def sent(*files: tuple[str, bytes], **more: object) -> dict[str, object]:
    """As a form sends it; names and types are what the sender says."""
    given = [SimpleUploadedFile(name, data, "image/png") for name, data in files]
    return {"body": "Look.", "anchor": PLACE, "key": str(uuid4()), "files": given, **more}


def is_ticked(page: str, name: str) -> bool:
    return " checked" in re.search(rf'<input type="checkbox"\s+name="{name}"[^>]*>', page)[0]


def png_that_says(width: int, height: int) -> bytes:
    """A few bytes that decode to as many pixels as their head says."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = zlib.compress(bytes(100))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


class TestWhatIsKept:
    @pytest.mark.parametrize(
        ("form", "ending", "kind"),
        [("PNG", "png", "png"), ("JPEG", "jpg", "jpeg"), ("WEBP", "webp", "webp"), ("GIF", "png", "png")],
    )
    def test_a_picture_is_written_anew_and_named_as_what_it_is(self, form, ending, kind):
        found = examined(picture(form) + b"<script>hidden behind its end</script>", "C:\\shots\\waits.gif")
        assert (found.name, found.kind, found.width, found.height) == (f"waits.{ending}", kind, 40, 30)
        assert b"hidden" not in found.data
        with Image.open(BytesIO(found.data)) as again:
            assert all(
                abs(a - b) < 8 for a, b in zip(again.convert("RGB").getpixel((20, 15)), (180, 30, 60), strict=True)
            )

    @pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
    def test_what_a_picture_says_besides_its_pixels_is_gone(self, form):
        exif = Image.Exif()
        exif[0x010F], exif[0x0112] = "SecretCamera", 6  # its maker; turned by 90 degrees
        exif.get_ifd(0x8825)[29] = "SecretDay"
        made = picture(
            form, exif=exif, icc_profile=b"SecretProfile", **({"comment": b"SecretNote"} if form == "JPEG" else {})
        )
        assert b"SecretCamera" in made
        found = examined(made, "a.jpg")
        assert b"Secret" not in found.data
        assert (found.width, found.height) == (30, 40)
        with Image.open(BytesIO(found.data)) as again:
            assert not again.getexif()
            assert not {"exif", "icc_profile", "comment"} & set(again.info)

    def test_16_bits_of_grey_stay_grey(self):
        made = Image.new("I;16", (3, 1))
        for x, grey in enumerate((0, 0x8000, 0xFFFF)):
            made.putpixel((x, 0), grey)
        written = BytesIO()
        made.save(written, "PNG", transparency=0x8000)
        with Image.open(BytesIO(examined(written.getvalue(), "a.png").data)) as again:
            assert [again.convert("RGBA").getpixel((x, 0))[::3] for x in range(3)] == [(0, 255), (128, 255), (255, 255)]

    def test_written_anew_once_more_it_is_the_same(self):
        once = examined(picture("PNG"), "a.png")
        assert examined(once.data, once.name) == once

    @pytest.mark.parametrize("size", [(5_001, 5_000), (60_000, 60_000)])
    def test_a_bomb_is_refused_before_it_is_decoded(self, size):
        with pytest.raises(TooLarge, match=r"“big\.png” has more than 25 million pixels"):
            examined(png_that_says(*size), "big.png")

    def test_a_jpeg_of_scans_without_end_is_refused(self):
        made = picture("JPEG")
        scan = made[made.index(b"\xff\xda") : -2]
        with pytest.raises(UploadRefused, match="more than 100 scans"):
            examined(made[:-2] + scan * 200 + made[-2:], "a.jpg")

    @pytest.mark.parametrize(
        "data", [picture()[:60], picture("JPEG")[:200], b"GIF89a", b"RIFF....WEBP", png_that_says(9, 9)[:40]]
    )
    def test_a_damaged_picture_is_refused(self, data):
        with pytest.raises(UploadRefused, match=r"“a\.png” is damaged"):
            examined(data, "a.png")

    @pytest.mark.parametrize(
        ("data", "name"),
        [
            (b"<!DOCTYPE html><script>alert(1)</script>", "waits.txt"),
            (b"\xef\xbb\xbf  <svg xmlns='http://www.w3.org/2000/svg'/>", "a.log"),
            ("\ufeff<html>".encode("utf-16-le"), "a.csv"),
            (b"just text", "waits.png"),
            (b"%PDF-1.7", "waits.jpeg"),
            (b"MZ\x90\x00\x03", "setup.txt"),
            (b"PK\x03\x04", "a.zip"),
            (b"II*\x00\x08\x00\x00\x00", "a.tif"),
        ],
    )
    def test_a_type_that_lies_or_is_none_of_those_is_refused(self, data, name):
        with pytest.raises(WrongKind):
            examined(data, name)

    @pytest.mark.parametrize(
        ("data", "name", "called"),
        [
            (b"ORA-00600\r\n\x1b[1mbold", "alert_PAY.log", "alert_PAY.log"),
            ("Gr\u00f6\u00dfe".encode("latin-1"), "a.csv", "a.csv"),
            ("caf\u00e9".encode("utf-16"), "out.txt", "out.txt"),
            (b"alert(1)", "page.html", "page.html.txt"),
            (b"a" * 10, "../../etc/pass\u202ewd", "passwd.txt"),
            (b"%PDF-1.7 ...", "report", "report.pdf"),
        ],
    )
    def test_text_and_pdf_are_kept_as_they_came(self, data, name, called):
        found = examined(data, name)
        assert (found.name, found.data, found.width) == (called, data, 0)

    def test_the_largest_of_each(self):
        assert examined(b"a" * attachment_types.LARGEST, "a.txt").data
        with pytest.raises(TooLarge, match="larger than 5 MB"):
            examined(b"a" * (attachment_types.LARGEST + 1), "a.txt")
        with pytest.raises(UploadRefused, match="is empty"):
            examined(b"", "a.txt")


class TestSending:
    def test_a_comment_with_a_picture_and_a_log(self, sign_in, owner, comparison, kept):
        client, url = sign_in(owner), f"/comparisons/{comparison.pk}/threads/"
        data = sent(("waits.png", picture()), ("alert.log", b"ORA-1"), alt=["The bad <hour>", ""])
        for status in (201, 200):  # sent twice it is there once
            for one in data["files"]:
                one.seek(0)
            answer = client.post(url, data, headers=JSON)
            assert answer.status_code == status, answer.content
        shown = client.get(f"{url}{answer.json()['id']}/", headers=JSON).json()["said"][0]["files"]
        assert [(one["name"], one["alt"], one["kind"]) for one in shown] == [
            ("waits.png", "The bad <hour>", "png"),
            ("alert.log", "alert.log", "text"),
        ]
        page = client.get(f"{url}{answer.json()['id']}/", headers=HTML).content.decode()
        assert 'alt="The bad &lt;hour&gt;"' in page
        assert f'src="{shown[0]["url"]}"' in page
        files.sweep()
        assert len(stored(kept)) == 2
        told = AuditLine.objects.filter(kind="file").values_list("action", flat=True)
        assert list(told) == ["attached", "attached"]

    @pytest.mark.parametrize(
        ("file", "status", "said"),
        [
            (("a.png", b"<svg/>"), 415, "is no picture"),
            (("a.txt", b"x" * (attachment_types.LARGEST + 1)), 413, "larger than 5 MB"),
            (("a.png", picture()[:50]), 400, "damaged"),
        ],
    )
    def test_what_cannot_be_kept_is_said_and_the_text_is_not_lost(
        self, sign_in, owner, comment, kept, file, status, said
    ):
        client = sign_in(owner)
        url = f"/comparisons/{comment.thread.comparison_id}/threads/"
        answer = client.post(url, sent(("good.png", picture()), file), headers=JSON)
        assert (answer.status_code, said in answer.json()["error"]) == (status, True)
        own = f"{url}{comment.thread_id}/"
        for path in (url, own, f"{own}comments/{comment.pk}/"):
            answer = client.post(path, sent(file, body="Long & typed"), headers=HTML)
            assert answer.status_code == 400, path
            assert said in answer.content.decode()
            assert "Long &amp; typed</textarea>" in answer.content.decode()
        assert (Comment.objects.count(), Attachment.objects.count(), stored(kept)) == (1, 0, [])

    @pytest.mark.parametrize("ticked", [True, False])
    def test_a_refused_file_leaves_ticked_what_was_and_nothing_else(self, sign_in, owner, guest, comment, ticked):
        owner.team.threads_for_guests = not ticked
        owner.team.save()
        path = create_link(owner, comment.thread.comparison, days=1, may_comment=True)[1]
        asked = {"anchor": PLACE, "body": "Why?", "name": "Gerd"}
        outside = Thread.objects.get(pk=Client().post(f"{path}threads/", asked, headers=JSON).json()["id"])
        Thread.objects.filter(pk=outside.pk).update(pseudonyms=True)
        url, more = f"/comparisons/{comment.thread.comparison_id}/threads/", {"guests_asked": "1"}
        more |= {"for_guests": "1", "names": "1"} if ticked else {"names": "1"}
        client, bad = sign_in(owner), ("a.svg", b"<svg/>")
        page = client.post(url, sent(bad, **more), headers=HTML).content.decode()
        assert is_ticked(page, "for_guests") == ticked
        page = client.post(f"{url}{outside.pk}/", sent(bad, **more), headers=HTML).content.decode()
        assert is_ticked(page, "names")
        assert not is_ticked(client.get(f"{url}{outside.pk}/", headers=HTML).content.decode(), "names")

    def test_a_comment_that_is_refused_leaves_no_file(self, sign_in, owner, comment, kept):
        url = f"/comparisons/{comment.thread.comparison_id}/threads/{comment.thread_id}/"
        assert sign_in(owner).post(url, sent(("a.png", picture()), body=" "), headers=JSON).status_code == 400
        files.sweep()
        assert (stored(kept), Attachment.objects.count()) == ([], 0)

    def test_beside_no_text_no_picture_is_looked_at(self, sign_in, owner, comment, monkeypatch):
        looked_at = []
        monkeypatch.setattr(attachments, "examined", lambda *given: looked_at.append(given))
        client, url = sign_in(owner), f"/comparisons/{comment.thread.comparison_id}/threads/"
        for path in (url, f"{url}{comment.thread_id}/", f"{url}{comment.thread_id}/comments/{comment.pk}/"):
            answer = client.post(path, sent(("a.png", picture()), body=" "), headers=JSON)
            assert (answer.status_code, "Write something" in answer.json()["error"]) == (400, True), path
        assert looked_at == []

    def test_who_only_reads_has_no_picture_looked_at(self, owner, monkeypatch):
        monkeypatch.setattr(attachments, "examined", lambda *_: pytest.fail("it was looked at"))
        given, reader = [attachments.ReceivedFile("a.png", picture())], replace(owner, role="reader")
        with pytest.raises(PermissionDenied), attachments.storing(reader, given):
            pass

    @pytest.mark.usefixtures("one_minute")
    def test_what_is_refused_counts_by_the_file(self, sign_in, owner, colleague, comment, monkeypatch):
        monkeypatch.setattr(attachments, "MOST_A_MINUTE", 4)
        url, bad = f"/comparisons/{comment.thread.comparison_id}/threads/{comment.thread_id}/", ("a.svg", b"<svg/>")
        client = sign_in(owner)
        answers = [client.post(url, sent(bad, bad), headers=JSON) for _ in range(3)]
        assert [one.status_code for one in answers] == [415, 415, 429]
        assert "more are taken in" in answers[-1].json()["error"]
        assert sign_in(colleague).post(url, sent(bad), headers=JSON).status_code == 415

    def test_a_picture_waits_for_its_turn_and_not_for_ever(self, sign_in, owner, comment, monkeypatch):
        monkeypatch.setattr(attachment_types, "PATIENCE_S", 0.01)
        client, form = sign_in(owner), sent(("a.png", picture()))
        url = f"/comparisons/{comment.thread.comparison_id}/threads/{comment.thread_id}/"
        with attachment_types._ONE_AT_A_TIME:
            answer = client.post(url, form, headers=JSON)
        assert (answer.status_code, "send it again" in answer.json()["error"]) == (503, True)
        assert int(answer["Retry-After"]) > 0
        assert comment.thread.comments.count() == 1
        for _ in range(2):  # the turn is given back
            assert client.post(url, sent(("a.png", picture())), headers=JSON).status_code == 201

    def test_a_comment_that_was_deleted_meanwhile_gets_no_file(self, sign_in, owner, comment, kept):
        url, key = f"/comparisons/{comment.thread.comparison_id}/threads/{comment.thread_id}/", uuid4()
        threads.remove(owner, threads.reply(owner, comment.thread, "Look.", key).comment)
        again = sent(("a.png", picture()), key=str(key))  # the first answer was lost
        answer = sign_in(owner).post(url, again, headers=JSON)
        assert (answer.status_code, "has been deleted" in answer.json()["error"]) == (400, True)
        files.sweep()
        assert (stored(kept), Attachment.objects.count()) == ([], 0)

    def test_no_more_than_ten(self, sign_in, owner, comment):
        client = sign_in(owner)
        url = f"/comparisons/{comment.thread.comparison_id}/threads/{comment.thread_id}/comments/{comment.pk}/"
        many = [(f"{n}.txt", b"%d" % n) for n in range(attachments.MOST + 1)]
        assert client.post(url, sent(*many), headers=JSON).status_code == 400
        assert client.post(url, sent(*many[:-1]), headers=JSON).status_code == 200
        refused = client.post(url, sent(many[-1]), headers=JSON)
        assert (refused.status_code, "At most 10 files" in refused.json()["error"]) == (400, True)
        assert comment.attachments.count() == attachments.MOST

    def test_an_event_with_a_picture(self, sign_in, owner, event, kept):
        client, page = sign_in(owner), f"/incidents/{event.incident_id}/"
        data = {"at": "2024-01-01T11:31", "text": "it stood", "kind": "note", "key": str(uuid4())}
        bad = client.post(f"{page}events/", {**data, "files": [SimpleUploadedFile("a.png", b"no")]}, headers=HTML)
        assert (bad.status_code, "it stood" in bad.content.decode()) == (400, True)
        assert TimelineEvent.objects.filter(by_system=False).count() == 1
        data["files"] = [SimpleUploadedFile("a.png", picture())]
        made = client.post(f"{page}events/", data, headers=JSON)
        assert made.status_code == 201
        (shown,) = [one for one in client.get(page, headers=JSON).json()["timeline"] if one["text"] == "it stood"]
        assert shown["files"][0]["name"] == "a.png"
        assert f'src="{shown["files"][0]["url"]}"' in client.get(page, headers=HTML).content.decode()
        assert client.delete(shown["files"][0]["url"]).status_code == 204
        files.sweep()
        assert stored(kept) == []

    def test_whoever_holds_a_link_attaches_nothing(self, owner, comparison, client):
        _, path = create_link(owner, comparison, days=1, may_comment=True)
        answer = client.post(f"{path}threads/", sent(("a.png", picture()), name="Gerd"), headers=JSON)
        assert (answer.status_code, Attachment.objects.count()) == (201, 0)
        assert 'type="file"' not in client.get(f"{path}threads/?anchor={PLACE}", headers=HTML).content.decode()

    def test_a_rate(self, owner, comment, monkeypatch):
        monkeypatch.setattr(attachments, "MOST_A_MINUTE", 2)
        attached_to(owner, comment, "a.png")
        two = [attachments.ReceivedFile(name, name.encode()) for name in ("b.txt", "c.txt")]
        with pytest.raises(TooMuch, match="You have attached 2 files"), attachments.storing(owner, two):
            pass


class TestServing:
    @pytest.mark.parametrize(
        ("name", "data", "shown"), [("a.png", picture(), True), ("a.log", b"ORA-1 <b>x</b>", False)]
    )
    def test_headers(self, sign_in, owner, comment, name, data, shown):
        given = attachments.ReceivedFile(name, data)
        with attachments.storing(owner, [given]) as rows:
            attachments.attach(owner, rows, comment)
        answer = sign_in(owner).get(f"/attachments/{comment.attachments.get().pk}/")
        assert answer["Content-Type"] == ("image/png" if shown else "text/plain")
        assert answer["Content-Disposition"].startswith("inline" if shown else "attachment")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer["Cache-Control"] == "private, no-store"

    def test_guests_see_it_only_where_they_see_the_comment(self, sign_in, owner, guest, stranger, comparison, comment):
        url = f"/attachments/{attached_to(owner, comment).pk}/"
        client = sign_in(guest)

        def answers() -> tuple[int, int]:
            return client.get(url).status_code, sign_in(stranger).get(url).status_code

        assert answers() == (404, 404)
        guest_access.show(owner, comparison, guest.membership)
        assert answers() == (404, 404)
        threads.open_to_guests(owner, comment.thread, for_guests=True)
        assert answers() == (200, 404)
        assert client.delete(url).status_code == 403
        threads.open_to_guests(owner, comment.thread, for_guests=False)
        assert answers() == (404, 404)

    def test_one_of_an_incident_is_for_no_guest(self, sign_in, owner, guest, event):
        url = f"/attachments/{attached_to(owner, event).pk}/"
        assert (sign_in(guest).get(url).status_code, sign_in(owner).get(url).status_code) == (404, 200)

    def test_who_takes_it_away(self, sign_in, owner, colleague, comment):
        found = attached_to(colleague, threads.reply(colleague, comment.thread, "Mine.", uuid4()).comment)
        third = context_of("mona", "Payments")
        assert sign_in(third).delete(f"/attachments/{found.pk}/").status_code == 403
        assert sign_in(owner).delete(f"/attachments/{found.pk}/").status_code == 204
        assert sign_in(owner).get(f"/attachments/{found.pk}/").status_code == 404


class TestBelowLinks:
    def test_of_a_comparison(self, owner, comparison, client):
        made = (
            create_link(owner, comparison, days=1, may_comment=True),
            redacted_link(owner, comparison, may_comment=True),
        )
        for (link, path), seen in zip(made, (True, False), strict=True):
            talk = talk_of(owner, link, path)
            page = client.get(f"{path}threads/{talk.comment.thread_id}/", headers=HTML).content.decode()
            shown = client.get(f"{path}threads/{talk.comment.thread_id}/", headers=JSON).content.decode()
            status = client.get(f"{path}attachments/{talk.attachment.pk}/").status_code
            assert (status == 200, "waits.png" in page, "waits.png" in shown) == (seen, seen, seen)
            assert ("1 picture or file is left out." in page) is not seen
            assert (str(talk.attachment.pk) in page + shown) is seen

    @pytest.mark.usefixtures("one_minute")
    def test_a_picture_costs_less_than_a_page(self, settings, owner, comparison, client):
        link, path = create_link(owner, comparison, days=1, may_comment=True)
        url = f"{path}attachments/{talk_of(owner, link, path).attachment.pk}/"
        cache.clear()
        settings.AWRDIFF_LINK_RATE = 1
        assert [client.get(url).status_code for _ in range(5)] == [200] * 4 + [429]

    def test_of_an_incident_and_its_postmortem(self, sign_in, owner, event, client):
        found = attached_to(owner, event, "PAYPROD-waits.png")
        member, incident = sign_in(owner), f"/incidents/{event.incident_id}/"
        member.post(f"{incident}postmortem/")
        for what in ("", "postmortem/"):
            path = member.post(f"{incident}{what}links/", {"days": "1"}, headers=JSON).json()["path"]
            assert client.get(f"{path}attachments/{found.pk}/").status_code == 200
            assert f"{path}attachments/{found.pk}/" in client.get(path, headers=HTML).content.decode()
            looked = member.get(f"{incident}{what}redacted/", headers=JSON).json()
            asked = {"make": "1", "seen": looked["seen"], "key": looked["key"], "days": "1"}
            path = member.post(f"{incident}{what}redacted/", asked, headers=JSON).json()["path"]
            pages = [client.get(path, headers=how).content.decode() for how in (HTML, JSON)]
            if what:
                pages += [client.get(f"{path}export.{ending}").content.decode() for ending in ("md", "html")]
            assert not [page for page in pages if "PAYPROD" in page or str(found.pk) in page]
            assert all("1 picture or file is left out." in page for page in pages[:2])
            assert client.get(f"{path}attachments/{found.pk}/").status_code == 404

    def test_the_exports_of_a_postmortem_name_them(self, sign_in, owner, event):
        found = attached_to(owner, event)
        client, path = sign_in(owner), f"/incidents/{event.incident_id}/postmortem"
        client.post(f"{path}/")
        assert f'src="/attachments/{found.pk}/"' in client.get(f"{path}/", headers=HTML).content.decode()
        for ending in ("md", "html"):
            assert f"http://testserver/attachments/{found.pk}/" in client.get(f"{path}.{ending}").content.decode()

    def test_the_exports_by_a_link_name_them_and_hand_on_no_link(self, sign_in, owner, event, client):
        attached_to(owner, event, "waits.png")
        member, path = sign_in(owner), f"/incidents/{event.incident_id}/postmortem/"
        member.post(path)
        shared = member.post(f"{path}links/", {"days": "1"}, headers=JSON).json()["path"]
        token = shared.strip("/").rpartition("/")[2]
        for ending in ("md", "html"):
            said = client.get(f"{shared}export.{ending}").content.decode()
            assert "waits.png" in said.replace("\\", "")
            assert token not in said


class TestGoing:
    """No file stays behind."""

    def test_with_the_comment(self, owner, comment, kept):
        attached_to(owner, comment)
        assert len(stored(kept)) == 1
        with transaction.atomic():
            threads.remove(owner, comment)
            transaction.set_rollback(True)
        files.sweep()
        assert len(stored(kept)) == 1
        threads.remove(owner, comment)
        files.sweep()
        assert (stored(kept), Attachment.objects.count(), LooseFile.objects.count()) == ([], 0, 0)

    @pytest.mark.parametrize("what", ["comparison", "incident", "event", "team"])
    def test_with_what_it_hung_on(self, sign_in, owner, comment, event, kept, what):
        mine = {attached_to(owner, comment).file, attached_to(owner, event).file}
        stays = {"comparison": 1, "incident": 1, "event": 1, "team": 0}[what]
        if what == "comparison":
            sign_in(owner).post(f"/comparisons/{comment.thread.comparison_id}/delete/")
        elif what == "incident":
            incidents.delete(owner, event.incident)
        elif what == "event":
            timeline.remove(owner, event)
        else:
            owner.team.delete()
        files.sweep()
        left = {str(path.relative_to(kept)) for path in stored(kept)}
        assert (len(left & mine), Attachment.objects.count()) == (stays, stays)
