"""Several reports as the baseline of one: the median of each figure, its range, and where the one lies. Pure."""
