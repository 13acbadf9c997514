"""More than two reports: choices, baseline tables, trends."""
