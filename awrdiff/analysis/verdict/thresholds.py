"""Shared thresholds. Shares are 0..1."""

SATURATED_PCT = 85  # busy: from here on processes queue (Gunther, Millsap: the knee of many servers lies there)
QUEUEING_PCT = 70  # busy: below it hardly anything queues for long
UNACCOUNTED = 0.15  # of DB time, in no wait and not on CPU
FELT = 0.05  # of DB time: what takes less is worth no name, and warns of nothing
OF_CHANGE = 0.15  # of the change of DB time: what is less explains little of it
SLOW_S = 0.020  # a read, a write or a commit: four times what a disk takes, and nothing that flash or a cache does
FEWEST = 100  # waits, or reads: an average of fewer is that of a few
