"""Markdown to plain text, without the markup.

Every pattern is linear in the text: it starts at a mark inside which no other match can start, stops at the next mark
or the end of the line, and never backtracks. None spans lines, so long texts are processed in parts.
"""

import re
from collections.abc import Iterator

_PART = 20_000
_BEGIN_LINES = tuple(" \t#>-*+|:=_`~")
"""What every match of a pattern for lines begins with."""
_INSIDE_LINES = ("\\", "`", "*", "_", "~", "](")
"""What every match of the other patterns contains."""
_AT_LINE = re.compile(r"^[ \t]*+(?:#{1,6}+[ \t]++|>[ \t]?+|[-*+][ \t]++(?:\[[ xX]\][ \t]++)?+)++", re.MULTILINE)
"""Headings, quotes, list items and task list items."""
_NO_WORDS = re.compile(r"^(?:[|:=*_ \t-]++|[ \t]*+(?:```|~~~)[^`\n]*+)$", re.MULTILINE)
"""Horizontal rules, underlines of headings, separator rows of tables, code fences."""
_TABLE_ROW = re.compile(r"^[ \t]*+\|.*+$", re.MULTILINE)
_LINK = re.compile(r"""(?:!\[|\[)([^][\n]*+)\]\(([^()\s]*+)(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'))?\)""")
_EMPHASIS = re.compile(
    r"""[\\`*_~](?:         # the first sign: a search that begins with a set of signs skips all others
        (?<=\\)([!-/:-@[-`{-~])
        | (?<=`)`*+
        | (?<=[*_])(?:(?<![*_].)|(?<=\\[*_].))  # nothing begins inside a run, which is read once therefore
          (?:(?<!\w.)[*_]*+(?=\S)|(?<=\S.)[*_]*+(?!\w))
        | (?<=~)~(?:(?<!\w..)(?=\S)|(?<=\S..)(?!\w))
    )""",
    re.VERBOSE | re.DOTALL,
)
"""Escaped characters stay. A character between spaces, or inside a word as in snake_case, is not a mark."""


def plain(markdown: str) -> str:
    """Return the text without markup. URLs of links are appended, so that they can be searched."""
    texts, addresses = list[str](), list[str]()
    for part in _parts(markdown):
        text = _without_line_marks(part) if _begins_lines(part) else part
        if any(mark in text for mark in _INSIDE_LINES):
            addresses += [link[2] for link in _LINK.finditer(text)]
            text = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text))
        texts.append(text)
    return "\n".join(["".join(texts), *addresses])


def _begins_lines(text: str) -> bool:
    """Whether a line begins like a mark; looking for that takes a fraction of the time of the patterns."""
    return any(line.startswith(_BEGIN_LINES) for line in text.split("\n"))


def _without_line_marks(text: str) -> str:
    text = _NO_WORDS.sub("", _AT_LINE.sub("", text))
    return _TABLE_ROW.sub(lambda row: row[0].replace("|", " "), text)


def _parts(text: str) -> Iterator[str]:
    """Split into parts of whole lines, unless a line is longer than a part."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + _PART) + 1 if len(text) - start > _PART else len(text)
        end = end or start + _PART
        yield text[start:end]
        start = end
