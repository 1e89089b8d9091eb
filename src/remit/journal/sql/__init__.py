"""The SQL journal: SQLite and Postgres by the same code."""
