"""Teamspace's queue and its peers, each with the same commands."""
