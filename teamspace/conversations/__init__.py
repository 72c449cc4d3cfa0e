"""Conversations: threads of turns between a person and a model, kept for their owner and shareable like notes."""
