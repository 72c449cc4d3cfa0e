"""Rules of tools."""
