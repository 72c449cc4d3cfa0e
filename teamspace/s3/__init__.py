"""The repository as a bucket: access keys, signatures, and what S3 clients ask."""

from teamspace.s3.domain.visits import House

__all__ = ["House"]
