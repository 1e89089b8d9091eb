"""Rich text: Markdown of any origin, read so that no letter of its author is lost, and written as safe HTML."""
