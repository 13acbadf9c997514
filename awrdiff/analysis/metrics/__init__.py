"""The figures of one report, each declared once, and its largest events and statements: docs/reference/metrics.md."""
