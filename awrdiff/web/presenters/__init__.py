"""Results as templates show them: texts, classes and widths."""
