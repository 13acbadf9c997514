"""A post-mortem: `page` to read, `history` of versions, `written` for download."""
