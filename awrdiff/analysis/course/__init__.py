"""Reports of one database in order of time: figures, events, statements, and changes between them."""
