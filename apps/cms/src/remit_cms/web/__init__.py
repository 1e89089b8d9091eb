"""The web: requests to other servers, searches, and the texts of pages."""
