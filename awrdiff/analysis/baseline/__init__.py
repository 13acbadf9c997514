"""Baselines: one report against the median and range of several."""
