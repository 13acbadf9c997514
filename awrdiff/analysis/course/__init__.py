"""The reports of one database in the order of time: its figures, events and statements, and what changed between."""
