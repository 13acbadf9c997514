"""A database's page: its reports over time, and the history of a statement or event."""
