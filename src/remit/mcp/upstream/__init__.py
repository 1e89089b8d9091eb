"""Connect to an MCP server of somebody else: over the streams of a child process, or over HTTP."""
