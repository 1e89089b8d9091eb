"""The command line: one file per command, plus shared modules."""
