"""Commands for a server; their imports happen when they run."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from awrdiff.cli import arguments
from awrdiff.cli.exit_statuses import AWAY, BAD, HAS_FINDING, Refused

if TYPE_CHECKING:
    from awrdiff.cli.http_client import Server
    from awrdiff.cli.push import Finding, Sent

ORDER = "Which report is the first: as given, or the earliest where every report says when it began."
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
ENDINGS = {"json": "json", "markdown": "md", "html": "html", "csv": "csv", "ticket": "txt"}  # by format


def of_a_server(command: Callable[..., Any]) -> Callable[..., Any]:
    server = click.option("--server", required=True, metavar="URL", help="The address of the server's first page.")
    help_text = "Where the token is; without it AWRDIFF_TOKEN is the token."
    token = click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE", help=help_text)
    return server(token(command))


@contextmanager
def _server(url: str, token_file: Path | None) -> Iterator[Server]:
    from awrdiff.cli.http_client import Unreachable, server_of  # noqa: PLC0415

    try:
        yield server_of(url, token_file)
    except Unreachable as away:
        click.echo(f"awrdiff: {away}", err=True)
        sys.exit(AWAY)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|FOLDER|-…")
@of_a_server
@click.option("--compare", "compares", is_flag=True, help="Compare the first with each of the others.")
@click.option(
    "--order",
    type=click.Choice(["given", "time"]),
    default="given",
    help=ORDER,
)
@click.option("--wait", is_flag=True, help="Until all is read, and compared; exit with 2 where that has failed.")
@click.option(
    "--fail-on",
    metavar="critical|warning|RULE",
    shell_complete=arguments.complete_rules_of_push,
    help="Wait, and exit with 1 where there is such a finding.",
)
def push(
    paths: tuple[str, ...],
    *,
    server: str,
    token_file: Path | None,
    compares: bool,
    order: str,
    wait: bool,
    fail_on: str | None,
) -> None:
    """Send files to an awrdiff server, with a token that may upload. What it has already is known, and not kept again.

    Prints the id of each report, new, known or failed, and its name; of a comparison its id and address. To compare the
    token has to have the scope write, to wait read. Exit status: 0 done, 1 a finding as named, 2 a file or the token
    was refused, or a file could not be read, 3 the server could not be reached.
    """
    from awrdiff.cli import push as pushing  # noqa: PLC0415

    rules = arguments.rules_of_two if compares else arguments.rules_of_one
    fails = arguments.failing(fail_on, rules()) if fail_on is not None else None
    with _server(server, token_file) as there:
        uploads = _push(pushing.sources_of(paths), there)
        refused = any(sent.refusals for sent in uploads)
        ids = list(dict.fromkeys(str(report["id"]) for sent in uploads for report in sent.reports))
        findings: list[Finding] = []
        if compares and refused:
            raise Refused("Nothing was compared: some files were refused.")
        if compares:
            comparison_id = pushing.compared(ids, there, by_time=order == "time")
            click.echo(f"{comparison_id} comparison {there.url}{pushing.COMPARED}{comparison_id}/")
            findings = pushing.findings_between(comparison_id, there) if wait or fails else []
        for report_id in ids if not compares and (wait or fails) else ():
            try:
                findings += pushing.findings_in(report_id, there)
            except pushing.Failed as failed:
                refused = True
                click.echo(f"awrdiff: {failed}", err=True)
    failing = [finding for finding in findings if fails is not None and fails(finding)]
    for finding in failing:
        click.echo(f"awrdiff: {finding.severity}: {finding.title} ({finding.rule})", err=True)
    if refused or failing:
        sys.exit(BAD if refused else HAS_FINDING)


def _push(sources: list[Any], server: Server) -> list[Sent]:
    from awrdiff.cli import push as pushing  # noqa: PLC0415
    from awrdiff.cli.report_files import Progress  # noqa: PLC0415

    uploads: list[Sent] = []
    with Progress() as progress:
        progress.show(f"0 of {len(sources)} files")

        def tell(sent: Sent) -> None:
            uploads.append(sent)
            progress.clear()
            _tell(sent)
            known_count = sum(upload.was_known for upload in uploads)
            progress.show(f"{len(uploads)} of {len(sources)} files, {known_count} known: {sent.name}")

        pushing.push(sources, server, tell)
    return uploads


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@of_a_server
@click.option("--every", type=click.FloatRange(min=0.01), default=10, metavar="SECONDS", help="How often to look; 10.")
@click.option("--state", type=click.Path(path_type=Path), metavar="FILE", help="What was handed over, by its bytes.")
def watch(folder: Path, *, server: str, token_file: Path | None, every: float, state: Path | None) -> None:
    """Send the files of a folder to an awrdiff server, each once it has stopped growing, until SIGTERM or Ctrl-C.

    A file that is refused is said once, and so is a server that is away: both harm nothing else. Exit status: 0 ended
    by SIGTERM, 2 bad use, or the token was refused, 130 stopped by Ctrl-C.
    """
    from awrdiff.cli import push as pushing  # noqa: PLC0415
    from awrdiff.cli import watch as watching  # noqa: PLC0415
    from awrdiff.cli.http_client import Stopped, Unreachable, server_of  # noqa: PLC0415

    if not folder.is_dir():
        raise Refused(f"{folder}: there is no such folder.")
    there = server_of(server, token_file)
    handed_over = watching.HandedOver(state or watching.state_file(folder, there.url))
    looking = watching.Watch(folder, handed_over, lambda sources, tell: pushing.push(sources, there, tell), _tell)

    is_told_to_end = False

    def end(*_: object) -> None:
        nonlocal is_told_to_end
        is_told_to_end = True  # an exception that comes at any line may end in a library's `except`
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Stopped

    def tell_unraisable(about: sys.UnraisableHookArgs) -> None:
        if about.exc_type is not Stopped:  # raised in a library's callback, where Python can only print it
            sys.__unraisablehook__(about)

    sys.unraisablehook = tell_unraisable
    signal.signal(signal.SIGTERM, end)
    click.echo(f"awrdiff: watching {folder}; files already sent are recorded in {handed_over.path}", err=True)
    is_away = False
    with suppress(Stopped):
        while True:
            try:
                looking.look()
                is_away = False
            except Unreachable as away:
                there.stopped.clear()  # which ended the others' waiting
                if not is_away:
                    click.echo(f"awrdiff: {away} Still trying.", err=True)
                is_away = True
            if is_told_to_end:
                raise Stopped
            time.sleep(every)


def _tell(sent: Sent) -> None:
    for line in sent.lines():
        click.echo(line)
    for refusal in (*sent.left_out, *sent.refusals):
        click.echo(f"awrdiff: {' '.join(refusal.split())}", err=True)


@click.command()
@click.argument("comparison")
@of_a_server
@click.option("--format", "form", type=click.Choice(ENDINGS), help="Without it the ending of FILE, or JSON.")
@click.option("--summary", is_flag=True, help="Without the sections: as Markdown the verdict, at most 60 lines.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
def pull(
    comparison: str, *, server: str, token_file: Path | None, form: str | None, summary: bool, output: Path | None
) -> None:
    """Fetch a comparison, by its id or address, from an awrdiff server once it is computed; to standard output.

    Exit status: 0 done, 2 bad use, or it was refused or has failed, 3 the server could not be reached.
    """
    from awrdiff.cli.arguments import form_of  # noqa: PLC0415
    from awrdiff.cli.output import write_bytes  # noqa: PLC0415

    ending = ENDINGS[form or form_of(output, ENDINGS) or "json"]
    with _server(server, token_file) as there:
        # `comparison`: id or address. Raises as `Server`, Refused.
        from awrdiff.cli.push import COMPARED, ready  # noqa: PLC0415

        match = _ID.search(comparison)
        if match is None:
            raise Refused(f"{comparison}: that is neither the id nor the address of a comparison.")
        ready(there.wait_until_settled(f"{COMPARED}{match[0]}/status/"))
        answer = there.get(f"{COMPARED}{match[0]}/export.{ending}{'?part=summary' if summary else ''}")
        if not answer.is_fine:
            raise Refused(f"{match[0]}: {answer.reason}")
        whole = answer.body
    write_bytes(whole, output)
