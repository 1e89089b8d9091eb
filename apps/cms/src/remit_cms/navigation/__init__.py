"""The navigation of a site."""
