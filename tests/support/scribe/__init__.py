"""A package whose routes write streams of content, row by row, for tests of kills and of load."""
