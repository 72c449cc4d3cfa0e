"""Rules of workflows: publishing specs, starting and advancing runs."""
