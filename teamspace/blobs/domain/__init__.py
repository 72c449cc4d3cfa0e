"""The verbs of the blobs, and the store that comes with the house."""
