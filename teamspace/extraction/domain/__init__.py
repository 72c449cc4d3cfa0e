"""Text extraction: which files can be read, how, and in which sandbox."""
