"""What the instance says of itself, and what it can be filled with."""
