"""A package like a shipped one, with public routes for pages of other origins."""
