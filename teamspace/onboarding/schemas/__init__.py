"""Data types of the sign-up funnel."""
