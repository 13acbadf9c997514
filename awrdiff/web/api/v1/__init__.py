"""`/api/v1`, for tokens and signed-in users; endpoint_table.py lists the addresses.

Writing from a browser session needs the CSRF token.
"""
