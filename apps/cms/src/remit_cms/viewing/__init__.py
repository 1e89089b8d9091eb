"""What people see of the site beside the editor: pages before and after their changes, and change sets."""
