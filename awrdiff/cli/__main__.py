"""`python -m awrdiff.cli`: the command `awrdiff` without installation."""

from awrdiff.cli.main import main

main()
