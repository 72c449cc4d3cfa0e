"""How well a row of an FTS5 table matches, by that row alone.

SQLite's own bm25() weighs a word by how many rows hold it, anywhere. In a table that companies share,
a score would tell each of them about the others.
"""

from typing import Any

_USUAL_LENGTH = 300
"""Of a text, in words: longer ones need more mentions for the same figure."""


def relevance(row: Any, *weights: Any) -> float:
    """The mean over the phrases of how often each is mentioned, between 0 and 1; the weights are those of the columns."""
    length = sum(row.column_size(column) for column, weight in enumerate(weights) if weight)
    slowness = 0.3 + 0.9 * length / _USUAL_LENGTH
    total, phrases = 0.0, 0
    for phrase in range(row.phrase_count):
        mentions = sum(
            weights[column] * len(row.phrase_column_offsets(phrase, column)) for column in row.phrase_columns(phrase)
        )
        if mentions:
            total, phrases = total + mentions / (mentions + slowness), phrases + 1
    return total / phrases if phrases else 0.0
