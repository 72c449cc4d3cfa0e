"""Markdown as words: what somebody would read aloud of it, without the marks.

Every pattern is linear in the text: it begins at a mark that no other match can begin in the middle of, stops at the
next mark or the end of the line, and never goes back. None reaches beyond a line, so a long text is read in parts.
"""

import re
from collections.abc import Iterator

_PART = 20_000
_AT_LINE = re.compile(r"^[ \t]*+(?:#{1,6}+[ \t]++|>[ \t]?+|[-*+][ \t]++(?:\[[ xX]\][ \t]++)?+)++", re.MULTILINE)
"""Headings, quotes, items of lists and of things to do."""
_NO_WORDS = re.compile(r"^(?:[|:=*_ \t-]++|[ \t]*+(?:```|~~~)[^`\n]*+)$", re.MULTILINE)
"""Rules, lines below headings and in tables, fences of code."""
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
"""What is escaped stays. A sign between spaces, or inside a word as in snake_case, is no mark."""


def plain(markdown: str) -> str:
    """The addresses of links follow at the end: they can be looked for, and stand in nobody's way."""
    texts, addresses = list[str](), list[str]()
    for part in _parts(markdown):
        text = _NO_WORDS.sub("", _AT_LINE.sub("", part))
        text = _TABLE_ROW.sub(lambda row: row[0].replace("|", " "), text)
        addresses += [link[2] for link in _LINK.finditer(text)]
        texts.append(_EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)))
    return "\n".join(["".join(texts), *addresses])


def _parts(text: str) -> Iterator[str]:
    """Whole lines, unless one is longer than a part."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + _PART) + 1 if len(text) - start > _PART else len(text)
        end = end or start + _PART
        yield text[start:end]
        start = end
