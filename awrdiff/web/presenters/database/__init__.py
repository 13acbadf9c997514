"""A database's page: reports, and a statement's or event's history."""
