"""Limits, windows, reservations and storage counters."""
