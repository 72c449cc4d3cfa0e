"""What the answers of MCP servers become."""

import msgspec
import pytest

from teamspace.core.errors import ToolFailed
from teamspace.mcp.domain.client.results import to_value
from teamspace.mcp.schemas import CallPart, CallResult
from teamspace.tools import Artifact

IMAGE = CallPart("image", content_type="image/png", size=4033)
LINK = CallPart("link", title="Plan", text="Of the harbour", uri="demo://plan", content_type="text/plain")


def value(*parts: CallPart, structured: object = None, is_error: bool = False) -> object:
    return to_value("scales", "Weigh", CallResult(list(parts), structured, is_error))


def test_texts_are_a_text() -> None:
    assert value(CallPart("text", text="one"), CallPart("resource", text="two", uri="demo://two")) == "one\n\ntwo"
    assert value() == ""


def test_a_structured_value_comes_first() -> None:
    assert value(CallPart("text", text='{"a": 1}'), structured={"a": 1}) == {"a": 1}
    assert value(structured=0) == 0


def test_an_image_is_an_artifact_that_names_type_and_size() -> None:
    made = value(CallPart("text", text="Here it is:"), IMAGE)
    assert isinstance(made, Artifact)
    assert (made.kind, made.title, made.content_type) == ("image", "Weigh", "image/png")
    assert made.summary == "Here it is: [image, image/png, 4033 bytes, not kept]"
    assert made.to_value()["parts"] == [{"kind": "image", "content_type": "image/png", "size": 4033}]


def test_an_image_that_is_kept_is_an_artifact_of_its_file() -> None:
    kept = {"key": "mcp/scales/one-2.png", "object_id": "object", "version_id": "version"}
    made = value(LINK, msgspec.structs.replace(IMAGE, **kept))
    assert isinstance(made, Artifact)
    assert (made.kind, made.object_id, made.version_id) == ("image", "object", "version")
    assert "[image, image/png, 4033 bytes, kept as mcp/scales/one-2.png]" in made.summary
    assert made.to_value()["parts"][1] == {"kind": "image", "content_type": "image/png", "size": 4033, **kept}


def test_a_link_and_a_file_are_artifacts() -> None:
    link, file = value(LINK), value(CallPart("resource", uri="demo://file", size=3))
    assert isinstance(link, Artifact) and isinstance(file, Artifact)
    assert (link.kind, link.title, link.summary) == (
        "link", "Plan", "[link, text/plain, demo://plan] Plan Of the harbour",
    )  # fmt: skip
    assert (file.kind, file.summary) == ("document", "[resource, 3 bytes, demo://file, not kept]")


def test_a_long_text_stays_a_text() -> None:
    assert value(CallPart("text", text="x" * 601), IMAGE) == "x" * 601 + "\n\n[image, image/png, 4033 bytes, not kept]"
    made = value(*[LINK] * 1000)
    assert isinstance(made, Artifact) and len(made.summary) == 600 and len(made.extra["parts"]) == 1000


def test_an_error_is_told_in_the_servers_words() -> None:
    with pytest.raises(ToolFailed, match="The MCP server scales answers: Too heavy"):
        value(CallPart("text", text="Too heavy"), is_error=True)
    with pytest.raises(ToolFailed) as refusal:
        value(CallPart("text", text="x" * 100_000), is_error=True)
    assert len(refusal.value.detail) < 1100
