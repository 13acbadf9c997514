"""Installed command `awrdiff`; needs no Django, database or broker."""
