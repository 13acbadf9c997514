"""`awrdiff mcp`: what an assistant is told of reports and comparisons, by the Model Context Protocol."""
