"""The rules of the sign-up funnel."""
