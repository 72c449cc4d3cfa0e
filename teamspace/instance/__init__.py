"""The instance as a whole: is it alive, how is it set up, and what does its API offer."""
