"""The installed command `awrdiff`: reports in, a comparison out. Needs no Django, database or broker."""
