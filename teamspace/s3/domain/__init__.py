"""The verbs of the S3 path."""
