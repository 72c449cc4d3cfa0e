"""Rules of the repository."""
