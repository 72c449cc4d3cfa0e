"""Limits and the windows in which they are counted."""
