"""Plain pages, which need no scripts."""
