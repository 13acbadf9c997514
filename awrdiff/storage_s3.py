"""Uploads in S3 or compatible; needs boto3 (requirements-s3.txt).

A failing store is noticed within twice ANSWER_S, by /readyz within PROBE_S; slow bodies by `_hurry`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)
from botocore.response import StreamingBody
from s3transfer.exceptions import RetriesExceededError
from storages.backends.s3 import S3Storage

from awrdiff.storage import REFUSING, SILENT, StorageAway
from parsers.command_line_inputs import is_hidden

CONNECT_S = 2
ANSWER_S = 5  # from the last byte sent to the first of the answer, and between any two of it
PROBE_S = 1.5
KNOWN_S = 5  # for so long an answer to /readyz counts: anybody may ask it, and each question of S3 is paid for
FETCH_S = 30  # for what comes of a file, and a second more
SLOWEST_BYTES_PER_S = 1 << 16  # for each so many of it
_ONCE_MORE = {"total_max_attempts": 2, "mode": "standard"}


class S3Files(S3Storage):  # type: ignore[misc]  # storages has no types
    """Raises FileNotFoundError, StorageAway."""

    _last_state: tuple[float, str] = (0.0, "")

    def get_default_settings(self) -> dict[str, Any]:
        defaults: dict[str, Any] = super().get_default_settings()
        patience = Config(connect_timeout=CONNECT_S, read_timeout=ANSWER_S, retries=_ONCE_MORE)
        return {**defaults, "client_config": patience, "transfer_config": TransferConfig(num_download_attempts=2)}

    @property
    def connection(self) -> Any:
        resource = super().connection
        resource.meta.client.meta.events.register("after-call.s3.GetObject", _hurry, unique_id="awrdiff")
        return resource

    def _save(self, name: str, content: Any) -> str:
        with _translated_errors():
            stored_name: str = super()._save(name, content)
        return stored_name

    def _open(self, name: str, mode: str = "rb") -> Any:
        try:
            with _translated_errors():
                opened = super()._open(name, mode)
                try:
                    _ = opened.file  # fetched here, where what goes wrong is told
                except BaseException:
                    opened.close()  # what had come of it
                    raise
        except FileNotFoundError:
            self._ask_for_bucket()  # one that is not there has no files either, and none of them is lost
            raise
        return opened

    def exists(self, name: str) -> bool:
        with _translated_errors():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with _translated_errors():
            return int(super().size(name))

    def delete(self, name: str) -> None:
        with _translated_errors():
            super().delete(name)

    def word(self) -> str:
        """`ok` or the trouble."""
        at, word = self._last_state
        if not word or time.monotonic() - at > KNOWN_S:
            try:
                self._ask_for_bucket()
                word = "ok"
            except StorageAway as away:
                word = away.word
            self._last_state = (time.monotonic(), word)
        return word

    def _ask_for_bucket(self) -> None:
        with _translated_errors():
            self._probe.head_bucket(Bucket=self.bucket_name)

    @cached_property
    def _probe(self) -> Any:
        quick = Config(connect_timeout=PROBE_S, read_timeout=PROBE_S, retries={"total_max_attempts": 1})
        where = {"endpoint_url": self.endpoint_url, "region_name": self.region_name, "verify": self.verify}
        return self._create_session().client("s3", config=quick, **where)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        state.pop("_probe", None)
        return state


def _hurry(http_response: Any, parsed: dict[str, Any], **_: Any) -> None:
    """Limits a whole body; connection limits are per piece."""
    if not isinstance(parsed.get("Body"), StreamingBody):
        return
    raw = http_response.raw  # the body reads from it
    limit_s = FETCH_S + (parsed.get("ContentLength") or 0) / SLOWEST_BYTES_PER_S
    until = time.monotonic() + limit_s

    def read(amt: int | None = None, **options: Any) -> bytes:
        pieces, missing = [], amt
        while missing is None or missing > 0:
            if time.monotonic() > until:
                raw.close()
                raise ReadTimeoutError(endpoint_url="the store, which sends a file too slowly")
            piece = raw.read1(missing, **options)
            if not piece:
                break
            pieces.append(piece)
            missing = None if missing is None else missing - len(piece)
        return b"".join(pieces)

    raw.read = read


class BucketObject(NamedTuple):
    name: str  # s3://bucket/key
    summary: Any
    identity: str  # of the object as it is now

    def save(self, to: IO[bytes]) -> None:
        """Write and rewind. Raises FileNotFoundError."""
        _download(self.summary.Object(), to)


def _download(source: Any, to: IO[bytes]) -> None:
    with _translated_errors():
        try:
            source.download_fileobj(to, Config=TransferConfig(use_threads=False))
        except ClientError as error:
            if int(error.response["ResponseMetadata"]["HTTPStatusCode"]) not in (403, 404):
                raise
            raise FileNotFoundError(error.response["Error"].get("Message", "")) from error
    to.seek(0)


def fetch(address: str, endpoint: str, to: IO[bytes]) -> None:
    """Fetch and rewind. Raises FileNotFoundError."""
    _download(_object_at(address, endpoint), to)


def is_taken(address: str, endpoint: str) -> bool:
    with _translated_errors():
        try:
            _object_at(address, endpoint).load()
        except ClientError as error:
            if int(error.response["ResponseMetadata"]["HTTPStatusCode"]) != 404:
                raise
            return False
    return True


def send(path: Path, address: str, endpoint: str) -> None:
    with _translated_errors():
        _object_at(address, endpoint).upload_file(str(path))


def _object_at(address: str, endpoint: str) -> Any:
    bucket, _, key = address.removeprefix("s3://").partition("/")
    return S3Files(bucket_name=bucket, endpoint_url=endpoint or None).bucket.Object(key)


def objects_below(address: str, endpoint: str) -> Iterator[BucketObject]:
    """Lazily listed in order of keys."""
    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    listed = iter(S3Files(bucket_name=bucket, endpoint_url=endpoint or None).bucket.objects.filter(Prefix=prefix))
    while True:
        with _translated_errors():
            summary = next(listed, None)
        if summary is None:
            return
        below = summary.key.removeprefix(prefix)
        if prefix and not prefix.endswith("/"):
            below = below.partition("/")[2]  # the rest of a name that the prefix begins was asked for
        if not (summary.key.endswith("/") or is_hidden(PurePosixPath(below))):
            identity = "\0".join((endpoint, bucket, summary.key, summary.e_tag, str(summary.size)))
            yield BucketObject(f"s3://{bucket}/{summary.key}", summary, sha256(identity.encode()).hexdigest())


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (ClientError, NoCredentialsError, PartialCredentialsError) as error:
        raise StorageAway(REFUSING, error) from error
    except (BotoCoreError, Boto3Error, RetriesExceededError) as error:
        raise StorageAway(SILENT, error) from error
