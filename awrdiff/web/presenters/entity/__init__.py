"""One statement, event or object in both reports."""
