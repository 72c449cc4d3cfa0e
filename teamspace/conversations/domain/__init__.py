"""Conversations, their turns, and their index."""
