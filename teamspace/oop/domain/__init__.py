"""Sandboxed plugins: finding them, keeping them running, calling their tools, and what they may ask for."""
