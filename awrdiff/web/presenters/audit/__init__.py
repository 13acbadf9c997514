"""The audit log, as its page, its JSON and its CSV say it."""
