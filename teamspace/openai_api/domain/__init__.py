"""The rules of the OpenAI protocol: what its requests mean here, and how answers are written in it."""
