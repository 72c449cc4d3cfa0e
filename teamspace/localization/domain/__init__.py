"""Localization: catalogs with fallbacks, the messages in the database, translations and their review."""
