"""One statement, event, object …: all that both reports print of it, ready to print."""
