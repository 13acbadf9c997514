"""Reports of one database in order of time, and changes between them."""
