"""The SQL journal for SQLite and Postgres."""
