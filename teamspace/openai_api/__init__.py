"""The OpenAI protocol over the same gateway, for clients that speak it."""
