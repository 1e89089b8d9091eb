"""The tables, the database file, and the transactions of operations."""
