"""Publishing, history, the trash and change sets."""
