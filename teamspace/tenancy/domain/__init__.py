"""The verbs of tenancy, one subject a module."""
