"""What stands out in one report: the rules that need one side, with the thresholds of those of two.

One report cannot say what is new, more or changed; it says what there was, of what size, and what it points to.
"""
