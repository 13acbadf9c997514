"""python -m awrdiff.serve [--team], run by bin/serve and `awrdiff serve`."""

import signal
import sys


def main(*, team: bool = False) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while the rest is imported: no traceback
    from awrdiff.serving.supervisor import main as supervise  # noqa: PLC0415 - see above

    supervise(team=team)


def _asked_for_a_team(arguments: list[str]) -> bool:
    if arguments in ([], ["--team"]):
        return bool(arguments)
    sys.stderr.write("bin/serve takes nothing but --team; settings are taken from the environment.\n")
    raise SystemExit(2)


if __name__ == "__main__":
    main(team=_asked_for_a_team(sys.argv[1:]))
