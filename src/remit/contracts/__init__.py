"""The vocabulary of a call: contracts, calls, replies, chat messages and journal items."""
