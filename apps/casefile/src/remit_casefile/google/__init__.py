"""Gmail, Drive and Sheets: typed async clients of the real services, and the tools made of them."""
