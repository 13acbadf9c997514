"""python -m awrdiff.manage: manage.py without a checkout."""

import os
import signal
import sys


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while the rest is imported: no traceback
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
    from awrdiff.django_command_line import run  # noqa: PLC0415 - see above

    run(sys.argv)


if __name__ == "__main__":
    main()
