"""Find the links into the console in a Markdown text.

Every pattern is linear in the text: it begins at a mark, has a bounded length or stops at the end of its line, and never
backtracks into what it has read. Code is no link, as in every Markdown renderer.
"""

import re
from collections.abc import Iterator

from teamspace.core import pools
from teamspace.references.schemas import TargetKind, TextLink

MAX_LINKS = 500
"""Of one text; further ones are ignored."""
_SHORT = 4_000
"""Characters. Texts up to this length are searched on the event loop, in a fraction of a millisecond."""
_KINDS: dict[str, TargetKind] = {"notes": "note", "documents": "object", "files": "object", "people": "person"}
_ADDRESS = re.compile(
    r"\]\(<?(?:/app)?/(notes|documents|files|people)/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    r"(?=[)>?#\s])"
)
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
_TICKS = re.compile(r"(?<!\\)`++")


async def find_links(text: str) -> list[TextLink]:
    """Return what the text refers to, once each, in order. Call it before the transaction that stores the text."""
    if "](" not in text:
        return []
    if len(text) > _SHORT:
        return await pools.TEXT.run(_find, text)
    return _find(text)


def _find(text: str) -> list[TextLink]:
    found: dict[TextLink, None] = {}
    for part in _without_code(text):
        for address in _ADDRESS.finditer(part):
            found[TextLink(_KINDS[address[1]], address[2])] = None
            if len(found) == MAX_LINKS:
                return list(found)
    return list(found)


def _without_code(text: str) -> Iterator[str]:
    """Yield the parts of the text that are not code."""
    fence = ""
    paragraph: list[str] = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            yield from _without_spans("\n".join(paragraph))
            paragraph = []
        elif line.strip():
            paragraph.append(line)
        else:  # a code span ends with its paragraph
            yield from _without_spans("\n".join(paragraph))
            paragraph = []
    yield from _without_spans("\n".join(paragraph))


def _without_spans(text: str) -> Iterator[str]:
    """Yield what is outside of code spans: a run of backticks opens one if a run of the same length follows."""
    if "`" not in text:
        yield text
        return
    runs = list(_TICKS.finditer(text))
    last = {len(run[0]): number for number, run in enumerate(runs)}
    following = _next_of_length([len(run[0]) for run in runs])
    start, number = 0, 0
    while number < len(runs):
        run = runs[number]
        if last[len(run[0])] == number:
            number += 1
            continue
        yield text[start : run.start()]
        number = following[number]
        start = runs[number].end()
        number += 1
    yield text[start:]


def _next_of_length(lengths: list[int]) -> list[int]:
    """Return for each run the number of the next one of its length; itself if there is none."""
    following, seen = list(range(len(lengths))), dict[int, int]()
    for number in range(len(lengths) - 1, -1, -1):
        following[number] = seen.get(lengths[number], number)
        seen[lengths[number]] = number
    return following
