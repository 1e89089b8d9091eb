"""Govern the MCP servers of others: their clients call through Remit, and nothing else changes for them."""
