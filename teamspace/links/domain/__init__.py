"""Rules of public links."""
