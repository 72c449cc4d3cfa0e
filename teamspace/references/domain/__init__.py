"""Rules of references."""
