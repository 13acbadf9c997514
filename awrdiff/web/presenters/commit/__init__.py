"""Commit latency: its page, and its card on a comparison."""
