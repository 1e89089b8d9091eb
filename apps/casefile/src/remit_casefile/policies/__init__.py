"""Policy sections of this application, beyond the built-in ones, and their enforcement."""
