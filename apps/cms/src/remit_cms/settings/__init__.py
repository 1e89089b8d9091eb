"""The settings of a site: a document with drafts, revisions and a live pointer, as pages have."""
