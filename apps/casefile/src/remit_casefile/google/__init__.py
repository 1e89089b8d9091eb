"""Gmail, Drive and Sheets: typed async clients of the real services, and tools built on them."""
