"""Results as templates show them: texts, classes and widths. A template computes nothing and words no finding."""
