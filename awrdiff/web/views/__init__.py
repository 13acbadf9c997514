"""Pages. Every view's first line is its permission helper."""
