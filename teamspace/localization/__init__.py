"""The words of the console: catalogs of messages by locale, and which of them somebody gets."""

from teamspace.localization.domain import DEFAULT, available

__all__ = ["DEFAULT", "available"]
