"""What an inventory of this application may declare beside the sections that come with Remit, and what enforces it."""
