"""What is said about a call before, while and after it is made: contracts, calls, replies, chat, journal items."""
