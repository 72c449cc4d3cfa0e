"""Operations of the S3 API, signatures and payloads."""
