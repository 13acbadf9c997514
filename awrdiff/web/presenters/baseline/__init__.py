"""More than two reports: the strip to choose from, tables against a baseline, a column per report, the trend."""
