"""The tables, the file they are in, and the transactions in which operations read and write."""
