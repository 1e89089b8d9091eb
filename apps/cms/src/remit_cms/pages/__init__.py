"""Pages of a site."""
