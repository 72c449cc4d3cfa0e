"""A plugin with a row in every table that plugins use."""
