"""Shared tools of tests against real processes."""
