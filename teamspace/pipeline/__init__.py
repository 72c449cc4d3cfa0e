"""The document pipeline: tools that read, extract, render and translate documents, and what their results came from."""

from teamspace.pipeline.domain.asking import chat, translate

__all__ = ["chat", "translate"]
