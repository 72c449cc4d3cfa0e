"""Branding: changes, theme tokens, contrast and logos."""
