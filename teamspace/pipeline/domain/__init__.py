"""Rules of the document pipeline."""
