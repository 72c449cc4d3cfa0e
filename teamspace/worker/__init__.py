"""A worker that claims jobs from a server and has them done by a model server of its own."""
