"""Share rows, and explain who can see them."""
