"""A content management system whose editor is an agent."""
