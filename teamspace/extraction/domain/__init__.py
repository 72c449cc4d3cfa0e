"""The rules of extraction: which files are read, by whom, and inside which walls."""
