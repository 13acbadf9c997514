"""More than two reports: strip of choices, tables against a baseline, one column per report, trend."""
