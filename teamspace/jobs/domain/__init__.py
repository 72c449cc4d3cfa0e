"""The job queue and the server's own worker."""
