"""What the operations on Google Workspace take and give."""
