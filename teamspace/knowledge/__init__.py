"""The knowledge graph: entities and relations found in documents, each with the sentence that says so."""

__all__: list[str] = []
