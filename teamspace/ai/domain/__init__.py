"""Models and chat turns."""
