"""Weblate, which Teamspace's localization manager is measured beside. What is in `peer` runs in Weblate's environment."""
