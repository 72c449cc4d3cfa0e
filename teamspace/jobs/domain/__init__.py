"""The queue, and who works on it."""
