"""Rules of identity."""
