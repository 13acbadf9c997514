"""A post-mortem: page, versions, download."""
