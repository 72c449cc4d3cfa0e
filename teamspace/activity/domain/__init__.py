"""Rules of the activity of a team."""
