"""Serves the browser console and its static files."""
