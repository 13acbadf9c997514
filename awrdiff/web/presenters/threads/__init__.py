"""Threads on pages and in JSON."""
