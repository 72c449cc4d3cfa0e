"""Markdown as words: what somebody would read aloud of it, without the marks.

Every pattern is linear in the text: it begins at a mark, and stops at the next.
"""

import re

_AT_LINE = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)+", re.MULTILINE)
"""Headings, quotes, items of lists and of things to do."""
_NO_WORDS = re.compile(r"^(?:[|:=*_ \t-]+|[ \t]*(?:```|~~~)[^`\n]*)$", re.MULTILINE)
"""Rules, lines below headings and in tables, fences of code."""
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_LINK = re.compile(r"""!?\[([^][\n]*)\]\(([^()\s]*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?\)""")
_EMPHASIS = re.compile(r"\\([!-/:-@[-`{-~])|`+|(?<!\w)(?:[*_]+|~~)(?=\S)|(?<=\S)(?:[*_]+|~~)(?!\w)")
"""What is escaped stays. A sign between spaces, or inside a word as in snake_case, is no mark."""


def plain(markdown: str) -> str:
    """The addresses of links follow at the end: they can be looked for, and stand in nobody's way."""
    text = _NO_WORDS.sub("", _AT_LINE.sub("", markdown))
    text = _TABLE_ROW.sub(lambda row: row[0].replace("|", " "), text)
    addresses = [link[2] for link in _LINK.finditer(text)]
    return "\n".join([_EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)), *addresses])
