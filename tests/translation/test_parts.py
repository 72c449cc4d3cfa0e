"""What stays in a text, and how a text is divided into segments."""

import contextlib
import time

import pytest

from teamspace.core.errors import BadRequest
from teamspace.translation.domain import icu, parts, segments
from teamspace.translation.domain.parts import PartKind
from tests.cost.attack import REPEATS, fill

KEPT = {
    PartKind.PLACEHOLDER: (
        "{name}", "{0}", "{{ user.name }}", "{n, number, integer}", "${HOME}", "$HOME", "%s", "%1$s", "%.2f", "%(count)d",
        "%{x}", "%%", ":param", "\u27e6",
    ),
    PartKind.TAG: ("<b>", "</b>", "<br/>", '<a href="x y">', "<!--c-->", "&nbsp;", "&#8217;", "&#x2019;"),
    PartKind.LINK: ("](https://a.example/b_(c))", '](x "A title")', "][ref]"),
    PartKind.URL: ("https://a.example/x?y=1&z=2", "www.example.com", "ann@example.com", "<https://a.example>"),
    PartKind.CODE: ("`x = 1`", "``a`b``", "<code>x</code>", "<pre class='a'>x</pre>"),
    PartKind.FIGURE: ("1.2.3", "v3.11.2", "2026-11-16", "10:30:00", "16/11/2026"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "sample"), [(kind, sample) for kind, samples in KEPT.items() for sample in samples])
def test_what_must_stay_is_hidden_from_the_model_and_put_back(kind: PartKind, sample: str) -> None:
    text = f"Before {sample} after"
    divided = parts.divide(text)
    assert [part.text for part in divided if part.kind is kind] == [sample]
    masked, kept = parts.mask(divided)
    assert masked == f"Before {parts.MASK_EXAMPLE} after" and parts.unmask(masked, kept) == text


@pytest.mark.parametrize(
    "text", ["50% off", "100%sure", "at 10:30", "a < b > c", "costs $5", "3.5 or 1,234", "x:y", "{", "[a]"]
)
def test_ordinary_text_stays_visible(text: str) -> None:
    assert parts.mask(parts.divide(text)) == (text, ())


def test_a_token_in_the_source_is_no_token_of_ours() -> None:
    text = "Press \u27e61\u27e7 for {name}"
    masked, kept = parts.mask(parts.divide(text))
    assert parts.unmask(masked, kept) == text and parts.unmask("\u27e69\u27e7", kept) == "\u27e69\u27e7"


DOCUMENT = """# Heading of it

A paragraph
in two lines.

- first item
- [ ] second item
  goes on
2. third

> quoted

```python
code = "kept"
```

| name | value |
|------|-------|
| key  | 12    |

   indented
123 456
"""


def test_markers_code_and_space_are_no_part_of_a_segment() -> None:
    layout = segments.lay_out({"": DOCUMENT})
    assert [segment.source for segment in layout.segments] == [
        "Heading of it", "A paragraph\nin two lines.", "first item", "second item\n  goes on", "third", "quoted",
        "name", "value", "key", "indented",
    ]  # fmt: skip
    assert layout.assemble([segment.source for segment in layout.segments]) == {"": DOCUMENT}


def test_equal_segments_are_one() -> None:
    layout = segments.lay_out({"a": "Yes\n\nYes", "b": " Yes "})
    assert len(layout.segments) == 1 and layout.assemble(["Ja"]) == {"a": "Ja\n\nJa", "b": " Ja "}


def test_a_long_paragraph_is_divided_after_sentences_and_never_inside_what_stays() -> None:
    text = "This is a sentence about {something}. " * 500
    layout = segments.lay_out({"": text})
    assert len(layout.segments) > 2 and layout.assemble([segment.source for segment in layout.segments])[""] == text
    for segment in layout.segments:
        assert len(segment.source) <= segments.MAX_CHARACTERS
        assert sum(part.text == "{something}" for part in segment.parts) == segment.source.count("{")


def test_too_many_segments_are_refused() -> None:
    with pytest.raises(BadRequest, match="5000"):
        segments.lay_out({"": "\n".join(f"- item {chr(97 + n % 26)}{n}" for n in range(segments.MAX_SEGMENTS + 1))})


# ICU messages

MESSAGE = "{count, plural, =0 {No files} one {# file in {folder}} other {# files in {folder}}} for it''s '{owner}'"


def test_the_branches_of_a_message_are_translated_and_its_arguments_stay() -> None:
    (segment,) = segments.lay_out({"": MESSAGE}).segments
    token = parts.MASK_EXAMPLE
    assert segment.masked.startswith(
        f"{{count, plural, =0 {{No files}} one {{# file in {token}}} other {{# files in {token}}}}}"
    )
    assert segment.message and segment.message.choices == [icu.Choice("count", "plural", ("=0", "one", "other"))]
    assert "".join(text for _, text in segment.message.pieces) == MESSAGE


@pytest.mark.parametrize(
    "text",
    ["{n, plural, one {x}}", "{n, plural, other {x}", "{n, plural, other {x} other {y}}", "plural } here", "{n, plural, other {" * 9 + "}}" * 9],
)  # fmt: skip
def test_a_malformed_message_is_none(text: str) -> None:
    assert icu.parse_with_choices(text) is None


HOSTILE = (
    "](", "](a", "](a(", "{", "{a,", "{{", "`", "``", "`a", "<a ", "</", "<code>", "<!--", "http://", "http://.", "a@", "a@a.",
    "1.1.", "%(a", "&#", "- ", "# ", "1. ", "> - ", "```\n", "{a,plural,", "{a,plural,a{", "{a, plural, other{'{", "'{", "www.",
    "<a:a", "|a\n", "a\n\n", "<pre>a", "\u27e61", "$a", " ",
)  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.about("core")
@pytest.mark.parametrize("repeat", [*REPEATS, *HOSTILE])
def test_the_cost_of_a_text_is_linear(repeat: str) -> None:
    def seconds(size: int) -> float:
        begun = time.thread_time()
        with contextlib.suppress(BadRequest):
            segments.lay_out({"": f"plural x{fill(repeat, size)}"})
        return time.thread_time() - begun

    whole = seconds(100_000)
    assert whole < 0.5 or whole < 3 * seconds(50_000)
    assert whole < 3
