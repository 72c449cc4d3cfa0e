"""Plain text of Markdown."""

import time

import pytest

from teamspace.fulltext import plain

# fmt: off
CASES = [
    ("# Winter\n\nto **hall 3**",           "Winter\n\nto hall 3"),
    ("> - [x] Tell the _pilots_",           "Tell the pilots"),
    ("* one\n+ two\n- three\n4. four",      "one\ntwo\nthree\n4. four"),
    ("Title\n=====\n\n---\nText",           "Title\n\n\n\nText"),
    ("```sh\nrm -rf `dir`\n```",            "\nrm -rf dir\n"),
    ("***all*** ~~gone~~ **_both_**",       "all gone both"),
    ("snake_case, 2 * 3, a-b, ~5, C#",      "snake_case, 2 * 3, a-b, ~5, C#"),
    (r"\*not\* a \[mark\]",                 "*not* a [mark]"),
    ("a [tide **table**](https://a.b/c?d)", "a tide table\nhttps://a.b/c?d"),
    ("![A ship](ship.png 'Ours') sails",    "A ship sails\nship.png"),
    ("<b>plan</b> [no link] (here)",        "<b>plan</b> [no link] (here)"),
    ("",                                    ""),
]
# fmt: on


@pytest.mark.parametrize(("markdown", "text"), CASES, ids=[text for _, text in CASES])
def test_markdown_syntax_is_removed_and_words_stay(markdown: str, text: str) -> None:
    assert plain(markdown) == text


def test_a_table_becomes_its_cells() -> None:
    assert plain("| Pier | Ships |\n|:--|--:|\n| 1 | 14 |").split() == ["Pier", "Ships", "1", "14"]


@pytest.mark.parametrize(
    "repeat",
    [
        "[",
        "[](",
        "*",
        "_",
        "_a",
        "`",
        "|",
        "- ",
        "> ",
        "-",
        "\\",
        " ",
        "![a](b ",
        '[](a "',
        "~~",
        "[[]",
        "\\*",
        "|a|\n",
    ],
)
def test_every_text_is_processed_in_linear_time(repeat: str) -> None:
    """A pattern that is not linear would take hours."""
    assert plain("a" + repeat * 100_000 + "x").rstrip().endswith(("x", "x)"))


def test_a_run_of_underscores_inside_a_word_is_read_once() -> None:
    """`a____…a` was once read to its end from every character: 12,000 took ten seconds."""
    began = time.thread_time()
    assert plain("a" + "_" * 12_000 + "a") == "a" + "_" * 12_000 + "a"
    assert time.thread_time() - began < 0.5


def test_a_long_text_gives_the_same_as_its_lines() -> None:
    """Long texts are processed in parts."""
    line = "> to **hall 3**, see [the plan](https://a.b/c)\n"
    assert plain(line * 1000) == "to hall 3, see the plan\n" * 1000 + "\nhttps://a.b/c" * 1000
