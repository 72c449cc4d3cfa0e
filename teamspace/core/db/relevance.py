"""A relevance score for rows of an FTS5 table that depends on the row alone.

SQLite's bm25() weights a word by how many rows of the table contain it. In a table that companies share,
such a score would leak information between them.
"""

from typing import Any

_TYPICAL_LENGTH = 300
"""Words per text; longer texts need more matches for the same score."""


def relevance(row: Any, *weights: Any) -> float:
    """Return the mean score of the matching phrases, from 0 to 1, by their number of matches; one weight per column."""
    length = sum(row.column_size(column) for column, weight in enumerate(weights) if weight)
    damping = 0.3 + 0.9 * length / _TYPICAL_LENGTH
    total, phrases = 0.0, 0
    for phrase in range(row.phrase_count):
        mentions = sum(
            weights[column] * len(row.phrase_column_offsets(phrase, column)) for column in row.phrase_columns(phrase)
        )
        if mentions:
            total, phrases = total + mentions / (mentions + damping), phrases + 1
    return total / phrases if phrases else 0.0
