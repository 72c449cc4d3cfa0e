"""Which links into the console a Markdown text has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.core.ids import new_id
from teamspace.references import MAX_LINKS, TextLink, find_links

A, B = "01a1ea18-cca9-7001-bbcf-1ef69814f5de", "01a1ea18-ccbc-7000-8493-d7436e346695"


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (f"[Plan](/notes/{A})", [TextLink("note", A)]),
        (f"[Plan](/app/notes/{A})", [TextLink("note", A)]),
        (f"[Plan](/documents/{A}) and ![x](/files/{B})", [TextLink("object", A), TextLink("object", B)]),
        (f"[@Ann](/people/{A}), [@Ann](/people/{A})", [TextLink("person", A)]),
        (f"[a [b] c](/notes/{A}?x=1#y \"title\")", [TextLink("note", A)]),
        (f"[a](</notes/{A}>)", [TextLink("note", A)]),
        (f"`[a](/notes/{A})` [b](/notes/{B})", [TextLink("note", B)]),
        (f"`` ` [a](/notes/{A}) `` [b](/notes/{B})", [TextLink("note", B)]),
        (f"a ` b [a](/notes/{A})", [TextLink("note", A)]),
        (f"`a\n\n[a](/notes/{A})`", [TextLink("note", A)]),
        (f"```\n[a](/notes/{A})\n```\n[b](/notes/{B})", [TextLink("note", B)]),
        (f"~~~ x\n[a](/notes/{A})\n```\n~~~\n[b](/notes/{B})", [TextLink("note", B)]),
        (f"```\n[a](/notes/{A})", []),
        (f"[a](/notes/{A}x) [b](/notes/{A[:-1]}) [c](https://x.example/notes/{A}) /notes/{A}", []),
        ("[a](/notes/new)", []),
    ],
)  # fmt: skip
async def test_links_are_found_and_code_is_none(text: str, links: list[TextLink]) -> None:
    assert await find_links(text) == links


async def test_a_text_has_at_most_so_many() -> None:
    text = "\n\n".join(f"[x](/notes/{new_id()})" for _ in range(MAX_LINKS + 5))
    assert len(await find_links(text)) == MAX_LINKS


@given(st.text('[](`~\n\\ /notes<>#"' + A[:3], max_size=200))
async def test_any_text_can_be_read(text: str) -> None:
    assert await find_links(text + "](") == []


@pytest.mark.parametrize("unit", ["](", "`", "`a", "``a`", "](/notes/", "](</app/notes/", "```\n", "~~~\n`", "`\n\n"])
async def test_every_text_is_read_in_linear_time(unit: str) -> None:
    """A pattern that is not linear would take hours."""
    assert await find_links("](" + unit * (500_000 // len(unit))) == []
