"""Teamspace's queue and its peers, each behind the same few verbs."""
