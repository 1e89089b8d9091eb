"""Connect to the MCP server of another program: over the streams of a child process, or over HTTP."""
