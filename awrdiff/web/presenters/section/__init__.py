"""One section as a table."""
