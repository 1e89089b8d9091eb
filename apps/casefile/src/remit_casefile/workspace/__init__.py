"""Mail, files and cells of Google's, kept in casefiles: stored by hand, synced, and read back."""
