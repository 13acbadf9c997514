"""One section as a table: `compared` of a comparison, `single` of a report, `histogram` of wait times."""
