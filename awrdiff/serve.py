"""python -m awrdiff.serve [--team], run by bin/serve and `awrdiff serve`."""

import signal
import sys


def main(*, team: bool = False) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while the rest is imported: no traceback
    from awrdiff.serving.supervisor import main as supervise  # noqa: PLC0415 - see above

    supervise(team=team)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--team"]):
        sys.stderr.write("bin/serve takes nothing but --team; settings are taken from the environment.\n")
        raise SystemExit(2)
    main(team=bool(sys.argv[1:]))
