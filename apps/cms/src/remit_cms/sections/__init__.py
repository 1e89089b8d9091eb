"""Sections: what a page is made of."""
