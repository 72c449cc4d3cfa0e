"""What can be done with the repository."""
