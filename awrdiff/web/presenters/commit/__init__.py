"""Commit latency page: `page` puts the commit latency page together, `card` is its summary on a comparison."""
