"""The audit log as page, JSON and CSV."""
