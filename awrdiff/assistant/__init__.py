"""`awrdiff mcp`: reports and comparisons for an assistant, by the Model Context Protocol."""
