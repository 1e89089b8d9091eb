"""The languages of a site, which people add and remove."""
