"""`python -m awrdiff.cli`: the command `awrdiff` where it is not installed."""

from awrdiff.cli.main import main

main()
