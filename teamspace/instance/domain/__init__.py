"""Domain functions of the instance."""
