"""The verbs of branding, and what they judge by: contrast, theme tokens and pictures."""
