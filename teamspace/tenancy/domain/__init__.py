"""Rules of tenancy."""
