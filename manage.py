#!/usr/bin/env python
"""Django's command line for awrdiff."""

from awrdiff.manage import main

if __name__ == "__main__":
    main()
