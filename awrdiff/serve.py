"""python -m awrdiff.serve, which bin/serve and `awrdiff serve` run: see awrdiff.serving.supervisor."""

import signal


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while the rest is imported: no traceback
    from awrdiff.serving.supervisor import main as supervise  # noqa: PLC0415 - see above

    supervise()


if __name__ == "__main__":
    main()
