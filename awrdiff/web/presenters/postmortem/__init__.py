"""A post-mortem: `page` as it is read and edited, `history` its versions, `written` as the files it is taken away as."""
