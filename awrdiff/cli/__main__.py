"""`python -m awrdiff.cli`: no installation needed."""

from awrdiff.cli.main import main

main()
