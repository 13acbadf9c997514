"""The page of a database: its reports over time, and how one statement or event went."""
