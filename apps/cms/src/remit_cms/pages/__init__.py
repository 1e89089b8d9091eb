"""Pages: what a site is made of."""
