"""The document pipeline: tools that read, extract, render and translate documents, and what their results came from."""

__all__: list[str] = []
