"""The S3 API: the repository as a bucket, access keys and presigned links."""

from teamspace.s3.domain.requests import Services

__all__ = ["Services"]
