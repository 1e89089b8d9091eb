"""Serve an application to MCP clients, over any transport: JSON-RPC in, JSON-RPC out."""
