"""Full-text search: tokeniser, query parser, index and snippets."""
