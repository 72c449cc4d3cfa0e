"""The verbs of identity, one subject a module."""
