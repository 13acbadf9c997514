"""A `var/` and a database as an older commit left them, and what they showed then. See README.md."""
