"""Rules of upload triggers."""
