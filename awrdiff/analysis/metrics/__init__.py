"""Metrics of one report, declared once, and its largest events and statements: docs/reference/metrics.md."""
