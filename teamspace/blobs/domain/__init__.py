"""Storing, reading and collecting blobs, and the two blob stores."""
