"""The rules of the knowledge graph."""
