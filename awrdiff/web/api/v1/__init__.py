"""`/api/v1`: what machines ask for by a token. Each address is thin, over what the pages do; table.py has them.

The same views answer whoever is signed in; what writes asks a browser's form for its token as everywhere.
"""
