"""A person's access to runs, conversations and questions, with the permissions of one principal."""
