"""The database: tables, transactions on one target, revisions, full text."""
