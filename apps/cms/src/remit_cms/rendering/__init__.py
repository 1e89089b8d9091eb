"""Pages as people see them: complete HTML documents that load nothing from elsewhere and run nothing."""
