"""`/api/v1`, for tokens and signed-in users: a thin layer over the pages' functions; table.py lists the addresses.

Writing from a browser session needs the CSRF token, as everywhere.
"""
