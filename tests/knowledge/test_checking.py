"""What a model says is compared with the text; long texts are read in windows."""

import pytest

from teamspace.core.errors import Conflict
from teamspace.knowledge.domain import checking, naming, windows
from teamspace.knowledge.domain.asking import FoundEntity, FoundRelation, WindowReply
from teamspace.knowledge.domain.windows import MAX_WINDOWS, WINDOW, TextWindow
from tests.knowledge.help import use
from tests.support.world import World

TEXT = "Marta\n  Keller founded it. Ida Holm helped."


def check(*entities: FoundEntity, relations: tuple[FoundRelation, ...] = ()) -> checking.Findings:
    return checking.check([(TextWindow(100, TEXT), WindowReply(list(entities), list(relations)))])


def test_a_quote_is_found_although_white_space_differs_and_has_its_place_in_the_document() -> None:
    found = check(FoundEntity("person", "Marta Keller", "Marta Keller founded it."))
    ((key, (mention,)),) = found.mentions.items()
    assert (key, found.dropped) == (("person", "marta keller"), 0)
    assert (mention.span.start, mention.span.end, mention.written) == (100, 126, "Marta Keller")


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Marta Keller", "Marta Keller left it."),
        ("Ida Holm", "Marta Keller founded it."),
        ("", "Ida Holm helped."),
        ("Ida Holm", ""),
        ("...", "Ida Holm helped."),
    ],
)
def test_what_is_not_in_the_text_is_dropped_and_counted(name: str, quote: str) -> None:
    found = check(FoundEntity("person", name, quote))
    assert (found.mentions, found.dropped) == ({}, 1)


def test_a_relation_needs_two_entities_and_its_quote() -> None:
    entities = FoundEntity("person", "Marta Keller", "Marta Keller founded it."), FoundEntity("person", "Ida Holm", "Ida Holm helped.")  # fmt: skip
    good = FoundRelation("Ida Holm", "helped", "MARTA KELLER", "Ida Holm helped.")
    bad = (
        FoundRelation("Ida Holm", "helped", "Olaf Brandt", "Ida Holm helped."),
        FoundRelation("Ida Holm", "helped", "Marta Keller", "Ida Holm did not."),
        FoundRelation("Ida Holm", "is", "Ida Holm", "Ida Holm helped."),
        FoundRelation("Ida Holm", " ", "Marta Keller", "Ida Holm helped."),
    )
    found = check(*entities, relations=(good, *bad))
    assert ([each.predicate for each in found.relations], found.dropped) == (["helped"], len(bad))


def test_a_document_has_a_limited_number_of_names_and_mentions() -> None:
    sentences = [f"Name{number} is here." for number in range(checking.MAX_NAMES + 5)]
    text = " ".join([*sentences, *(f"Name3 was seen {number} times." for number in range(20))])
    entities = [FoundEntity("other", sentence.split()[0], sentence) for sentence in text.replace(". ", ".|").split("|")]
    found = checking.check([(TextWindow(0, text), WindowReply(entities, []))])
    assert len(found.mentions) == checking.MAX_NAMES
    assert len(found.mentions["other", "name3"]) == checking.MAX_MENTIONS


@pytest.mark.parametrize(
    "text", ["", " " * 30_000, "x" * (WINDOW * MAX_WINDOWS + 7), "One. Two.\n\n" * 5_000, "a\n" * 20_000]
)
def test_windows_cover_the_text_up_to_their_limit(text: str) -> None:
    parts, unread = windows.split(text)
    assert len(parts) <= MAX_WINDOWS and all(0 < len(part.text) <= WINDOW for part in parts)
    assert all(text[part.start : part.start + len(part.text)] == part.text for part in parts)
    assert "".join(part.text for part in parts).strip() == text[: len(text) - unread].strip()


def test_names_are_the_same_whatever_their_case_width_and_white_space() -> None:
    assert len({naming.normalize(name) for name in ("Ida Holm", "IDA  HOLM.", "\uff29da Holm", '"ida\nholm"')}) == 1
    assert naming.normalize("Pena") != naming.normalize("Peña")


async def test_a_document_whose_text_is_not_ready_is_refused_for_now(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann("PUT", "/api/repo/a.txt", content=b"Ida Holm helped.", headers={"content-type": "text/plain"})
    with pytest.raises(Conflict, match="not ready yet"):
        await use(ann, "kg_extract", object=answer.json()["id"])
