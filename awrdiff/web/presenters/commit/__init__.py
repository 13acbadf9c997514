"""Commit latency: `page` builds its page, `card` its summary on a comparison."""
