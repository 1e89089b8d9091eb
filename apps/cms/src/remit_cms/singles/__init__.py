"""The operations that the documents of which a site has one share."""
