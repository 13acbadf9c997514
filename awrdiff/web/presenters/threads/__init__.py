"""What pages and JSON show of threads."""
