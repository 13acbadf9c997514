"""One section as a table: comparison, single report or wait time histograms."""
