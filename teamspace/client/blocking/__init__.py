"""The blocking client, generated from `teamspace.client.aio`."""
