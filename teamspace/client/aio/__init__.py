"""The asynchronous client. `teamspace.client.blocking` is generated from it."""
