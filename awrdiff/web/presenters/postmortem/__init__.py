"""A post-mortem: `page` as it is read, `history` its versions, `written` as a file to be taken away."""
