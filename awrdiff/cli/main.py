"""The command `awrdiff`; imports for a command happen when it runs.

Exit status: 0 done, 1 a finding matches `--fail-on`, 2 bad input or use, 3 server or database unreachable, 130 Ctrl-C.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from awrdiff.cli import arguments
from awrdiff.cli.exit_statuses import BAD, HAS_FINDING, Refused
from awrdiff.cli.server_commands import ORDER, pull, push, watch

PAUSES_S = (1, 2)  # an assistant waits for an answer; somebody who pushes files does not


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--server", metavar="URL", help="The address of a server's first page, in place of a folder.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the token of the server is; without it AWRDIFF_TOKEN is the token.",
)
@click.option("--redact", is_flag=True, help="Of a folder: pseudonyms for all names, no text of statements.")
def mcp(folder: Path | None, *, server: str | None, token_file: Path | None, redact: bool) -> None:
    """Let an assistant ask what awrdiff finds in the reports of FOLDER, or of a server (docs/mcp.md).

    Speaks the Model Context Protocol on standard input and output, until its input ends. Needs the extra awrdiff[mcp].
    """
    if (folder is None) == (server is None):
        raise Refused("Name a folder of reports, or a server with --server URL.")
    if server and redact:
        raise Refused("--redact is for a folder: the names in a server's answers are not replaced.")
    try:
        from awrdiff.assistant.mcp_tools import server_of  # noqa: PLC0415
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        raise Refused("awrdiff mcp needs the package mcp: pipx install --force '.[mcp]' in a clone.") from None
    from awrdiff.assistant.report_source import Source  # noqa: PLC0415
    from awrdiff.cli.http_client import Server, outlive_closed_connections, token_of  # noqa: PLC0415

    outlive_closed_connections()
    source: Source
    if folder is not None:
        from awrdiff.assistant.folder_source import Folder  # noqa: PLC0415
        from awrdiff.redaction.link_options import Redaction  # noqa: PLC0415

        source = Folder(folder, Redaction.new() if redact else None)
    else:
        from awrdiff.assistant.server_source import Remote  # noqa: PLC0415

        source = Remote(Server(server or "", token_of(token_file), pauses_s=PAUSES_S))
    server_of(source, writes=server is not None).run("stdio")


TIMES = ["%Y-%m-%d %H:%M", "%Y-%m-%d"]
_SINCE = "Since when, by the database's clock: 2026-11-24 08:00, or a day."
FORMATS = ("json", "markdown", "csv", "html")
_FORMS_OF_ONE = ("markdown", "json")
STEPS = ("0", "0.1", "0.5", "1", "2", "5", "10")
_STOPPED = 130
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _say_version(context: click.Context, _: click.Parameter, is_requested: bool) -> None:  # noqa: FBT001 - click's way
    if not is_requested:
        return
    from parsers.version import VERSION  # noqa: PLC0415

    click.echo(f"awrdiff {VERSION}")
    context.exit()


@click.group(context_settings=_HELP, no_args_is_help=False)
@click.option(
    *("-V", "--version"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version.",
)
def awrdiff() -> None:
    """Show what changed between two Oracle AWR reports, why, and what it cost.

    A FILE is a report (AWR, Statspack, ASH, ADDM, an LGWR trace; HTML or text), an archive or a folder of them, or -
    for standard input.
    """


@awrdiff.command()
@click.argument("files", nargs=-1, required=True, metavar="FIRST [SECOND] [MORE…]")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="The whole comparison; html: one file. Without it the ending of FILE.",
)
@click.option("--summary", is_flag=True, help="The verdict and the findings as Markdown, at most 60 lines.")
@click.option("--ticket", is_flag=True, help="Both hours, verdict, who and what as text, at most 12 lines a pair.")
@click.option(
    "--only",
    multiple=True,
    metavar="SECTION",
    shell_complete=arguments.complete_sections,
    help="This section alone, by its id; may be repeated.",
)
@click.option("--instance", type=int, metavar="N", help="Of global (RAC) reports: instance N, not the cluster.")
@click.option("--order", type=click.Choice(["given", "time"]), default="given", help=ORDER)
@click.option("--baseline", is_flag=True, help="The last report against the median of all those before it.")
@click.option("--sla", metavar="TIME", help="What a commit may take, e.g. 10ms: said in JSON, Markdown and summary.")
@click.option("--material", type=click.Choice(STEPS), default="1", help="From how many % of DB time a change counts.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
@click.option(
    "--fail-on",
    metavar="critical|warning|RULE|outside",
    shell_complete=arguments.complete_rules_of_two,
    help="Exit with 1 where there is such a finding; with --baseline also where Second lies outside it.",
)
def compare(
    files: tuple[str, ...],
    *,
    form: str | None,
    summary: bool,
    ticket: bool,
    only: tuple[str, ...],
    instance: int | None,
    order: str,
    baseline: bool,
    sla: str | None,
    material: str,
    output: Path | None,
    fail_on: str | None,
) -> None:
    """Compare FIRST with each of the others. LGWR traces are attached to the comparison.

    With --baseline the last report is held against the median of all those before it.
    Without --format a terminal shows the summary, a file gets what its ending says, a pipe JSON.
    """
    from awrdiff.cli.report_files import read_reports  # noqa: PLC0415

    limit_s = arguments.sla_seconds(sla) if sla is not None else None
    outside = baseline and fail_on == arguments.OUTSIDE
    fails = arguments.failing(fail_on, arguments.rules_of_two()) if fail_on is not None and not outside else None
    form = form or (None if summary or ticket else arguments.form_of(output, FORMATS))
    if summary and form not in (None, "markdown"):
        raise Refused(f"--summary is Markdown: it cannot be written as {form}.")
    if ticket and (summary or form is not None or sla is not None):
        raise Refused("--ticket is a text of its own: it goes with none of --summary, --format and --sla.")
    if baseline and sla is not None:
        raise Refused("--sla is said of each report: the median of several is none.")
    wanted = list(dict.fromkeys(s for names in only for s in names.split(",") if s))
    reports = read_reports(files)

    from awrdiff.cli import comparing  # noqa: PLC0415 - a file that is no report was refused by now
    from awrdiff.cli.output import for_a_terminal, write  # noqa: PLC0415

    brief = not ticket and (summary or (form is None and output is None and sys.stdout.isatty()))
    form = "ticket" if ticket else form
    if not baseline:
        comparisons = comparing.compare(reports, instance=instance, by_time=order == "time")
        selected = comparing.from_step(comparing.only(comparisons, wanted), float(material))
        text = comparing.summary(selected, limit_s) if brief else comparing.whole(selected, form or "json", limit_s)
    else:
        from awrdiff.cli import baseline as against_baseline  # noqa: PLC0415

        by_time = order == "time"
        against, computed = against_baseline.hold_against(reports, instance=instance, by_time=by_time, only=wanted)
        comparisons = (computed,)
        text = against_baseline.text(against, computed, form or "json", brief=brief, step=float(material))
    write(for_a_terminal(text) if output is None and (brief or form == "markdown") else text, output)
    is_failing = fails is not None and any(fails(finding) for c in comparisons for finding in c.findings)
    if is_failing or (outside and against_baseline.is_outside(comparisons[0], float(material))):
        sys.exit(HAS_FINDING)


@awrdiff.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE [FILE…]")
@click.option("--format", "form", type=click.Choice(_FORMS_OF_ONE), help="Without it the ending of FILE, or Markdown.")
@click.option("--instance", type=int, metavar="N", help="Of a global (RAC) report: instance N, not the cluster.")
@click.option("--sla", metavar="TIME", help="What a commit may take, e.g. 10ms: the commit waits are held against it.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
@click.option(
    "--fail-on",
    metavar="critical|warning|RULE",
    shell_complete=arguments.complete_rules_of_one,
    help="Exit with 1 where there is such a finding.",
)
def single(
    files: tuple[str, ...],
    *,
    form: str | None,
    instance: int | None,
    sla: str | None,
    output: Path | None,
    fail_on: str | None,
) -> None:
    """Say what stands out in one report: verdict, findings, and what could not be checked. Of several, one by one.

    LGWR traces are set beside the reports of their instance.
    """
    from awrdiff.cli.report_files import read_reports  # noqa: PLC0415

    limit_s = arguments.sla_seconds(sla) if sla is not None else None
    fails = arguments.failing(fail_on, arguments.rules_of_one()) if fail_on is not None else None
    form = form or arguments.form_of(output, _FORMS_OF_ONE) or "markdown"
    reports = read_reports(files)

    from awrdiff.cli import single_report_assessment  # noqa: PLC0415 - a file that is no report was refused by now
    from awrdiff.cli.output import for_a_terminal, write  # noqa: PLC0415

    assessments = single_report_assessment.assessments(reports, instance, form, limit_s)
    text = "".join(text for text, _ in assessments)
    write(for_a_terminal(text) if output is None and form == "markdown" else text, output)
    if fails is not None and any(fails(finding) for _, findings in assessments for finding in findings):
        sys.exit(HAS_FINDING)


@awrdiff.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE [FILE…]")
def parse(files: tuple[str, ...]) -> None:
    """Print each report as a line of JSON: every table, every figure with its unit."""
    from parsers.__main__ import main as print_documents  # noqa: PLC0415

    sys.exit(print_documents(list(files)))


@awrdiff.command()
@click.option("--statspack", is_flag=True, help="Statspack reports, which need no licence; as PERFSTAT.")
@click.option(
    "--from",
    "begin",
    type=click.DateTime(TIMES),
    metavar="TIME",
    help=_SINCE,
)
@click.option("--to", "end", type=click.DateTime(TIMES), metavar="TIME", help="Until when.")
@click.option("--snapshots", type=int, nargs=2, metavar="FIRST LAST", help="The snapshots in place of times.")
@click.option("--hours", type=int, default=24, metavar="N", help="Without times or snapshots: how many hours back; 24.")
@click.option("--instance", type=int, metavar="N", help="Instance N alone; otherwise each has its own reports.")
@click.option("--global", "is_global", is_flag=True, help="One report for all instances of a cluster.")
@click.option("--pdb", default="", metavar="NAME", help="What this pluggable database has taken itself (from 12.2 on).")
@click.option("--text", is_flag=True, help="Text in place of HTML.")
@click.option("--ash", is_flag=True, help="An ASH report beside each.")
@click.option("--addm", is_flag=True, help="What ADDM has found by itself beside each.")
@click.option("--folder", default="awr_reports", metavar="NAME", help="Where the reports go; awr_reports.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
def script(*, output: Path | None, **options: Any) -> None:
    """Print a SQL*Plus script that writes one report for each interval. It asks nothing and changes nothing."""
    from awrdiff.cli.output import write  # noqa: PLC0415
    from awrdiff.collecting.sqlplus_script import BadChoice, Wanted, script_of  # noqa: PLC0415

    try:
        text = script_of(Wanted(**options))
    except BadChoice as bad:
        raise Refused(str(bad)) from None
    write(text, output)


@awrdiff.command()
@click.argument("config", type=click.Path(path_type=Path), metavar="CONFIG.toml")
def collect(config: Path) -> None:
    """Get what is new out of the databases of CONFIG.toml, by an account of each (docs/collect.md). It only reads.

    Needs the extra awrdiff[oracle]. Prints a line for each database. Exit status: 0 done, 2 a report could not be made
    or was refused, AWR may not be read or the configuration is wrong, 3 a database or the server could not be reached.
    """
    from awrdiff.cli.collecting import run  # noqa: PLC0415

    sys.exit(run(config))


@awrdiff.command()
@click.option("--team", is_flag=True, help="Everybody signs in: you become the owner, and invite the others.")
def serve(*, team: bool) -> None:
    """Serve the pages on this machine until Ctrl-C; settings are taken from the environment (docs/operations.md)."""
    from awrdiff.cli.http_client import outlive_closed_connections  # noqa: PLC0415
    from awrdiff.serve import main as serve_pages  # noqa: PLC0415

    if find_spec("django") is None:
        raise Refused("awrdiff serve needs the server's packages: pipx install --force '.[web]' in a clone.")
    outlive_closed_connections()
    serve_pages(team=team)


@awrdiff.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete this command's words: eval "$(awrdiff completion bash)"."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    completer = get_completion_class(shell)
    if completer is not None:
        click.echo(completer(awrdiff, {}, "awrdiff", "_AWRDIFF_COMPLETE").source())


for _command in (push, watch, pull, mcp):
    awrdiff.add_command(_command)


def main() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has enough (`| head`) ends this quietly
    gc.disable()  # loading, reading and comparing leave no cycles: looking for some took an eighth of a command
    try:
        awrdiff(prog_name="awrdiff", standalone_mode=False)
        sys.stdout.flush()
    except Refused as refusal:
        _end(str(refusal))
    except click.UsageError as wrong:
        path = wrong.ctx.command_path if wrong.ctx else "awrdiff"
        _end(f"{wrong.format_message().rstrip('.')}. See {path} --help.")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_STOPPED)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again, and complains, as it ends
        _end(f"Nothing more can be written: {error.strerror}.")


def _end(sentence: str) -> None:
    click.echo(f"awrdiff: {' '.join(sentence.split())}", err=True)
    sys.exit(BAD)


if __name__ == "__main__":
    main()
