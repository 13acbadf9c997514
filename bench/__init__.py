"""Benchmarks (bin/bench): ratios on the machine at hand, printed and never asserted."""
