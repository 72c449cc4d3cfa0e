"""The workflows that ship are valid, and what is proved about them fails when they are altered."""

import copy
from typing import Any

import pytest

from teamspace.core.errors import InvalidSpec
from teamspace.workflows.domain.language import transitions
from teamspace.workflows.domain.language.specs import ToolShape, WorkflowSpec
from teamspace.workflows.domain.language.transitions import Begin, Finish
from teamspace.workflows.domain.language.validation import validate
from tests.workflows.specs import ANYTHING, TEXT, arguments, returning

OBJECT = {"type": "object"}
TEXT_OR_ARTIFACT = {"anyOf": [TEXT, OBJECT]}
SHAPES = {
    "repo_list_unindexed": ToolShape(arguments(()), returning("array")),
    "repo_extract_text": ToolShape(arguments(("id",), id=TEXT), returning("object")),
    "kg_list_unextracted": ToolShape(arguments(()), returning("array")),
    "kg_extract": ToolShape(arguments(("object",), object=TEXT), returning("object")),
    "doc_text": ToolShape(arguments(("object",), object=TEXT), returning("object")),
    "doc_extract_fields": ToolShape(
        arguments(
            ("object", "schema", "text"), object=TEXT, schema=OBJECT, text=TEXT_OR_ARTIFACT, run=TEXT, step=TEXT
        ),
        returning("object"),
    ),
    "doc_render": ToolShape(
        arguments(("object", "template", "data"), object=TEXT, template=TEXT, data=ANYTHING, run=TEXT, step=TEXT),
        returning("object"),
    ),
    "doc_translate": ToolShape(
        arguments(("object", "locale"), object=TEXT, locale=TEXT, run=TEXT, step=TEXT), returning("object")
    ),
    "chat_message": ToolShape(arguments(("text",), text=TEXT), returning("string")),
    "translate_text": ToolShape(
        arguments(("text", "target"), text=TEXT, target=TEXT, source=TEXT), returning("string")
    ),
}  # fmt: skip


def ref(text: str) -> dict[str, str]:
    return {"$ref": text}


INDEX_DOCUMENTS: dict[str, Any] = {
    "format": 1, "slug": "index-documents", "version": 1, "start": "find", "max_steps": 50, "inputs": {},
    "steps": [
        {"id": "find", "kind": "tool", "tool": "repo_list_unindexed", "with": {}},
        {"id": "extract", "kind": "map", "over": ref("steps.find.output.result"), "tool": "repo_extract_text",
         "with": {"id": ref("item")}, "end": True},
    ],
}  # fmt: skip
INDEX_KNOWLEDGE: dict[str, Any] = {
    "format": 1, "slug": "index-knowledge", "version": 1, "start": "find", "max_steps": 50, "inputs": {},
    "steps": [
        {"id": "find", "kind": "tool", "tool": "kg_list_unextracted", "with": {}},
        {"id": "extract", "kind": "map", "over": ref("steps.find.output.result"), "tool": "kg_extract",
         "with": {"object": ref("item")}, "end": True},
    ],
}  # fmt: skip
PROCESS_UPLOAD: dict[str, Any] = {
    "format": 1, "slug": "process-upload", "version": 1, "start": "text", "max_steps": 40,
    "inputs": {
        "locales": {"type": "array"}, "object_id": {"type": "string"},
        "schema": {"type": "object"}, "template": {"type": "string"},
    },
    "steps": [
        {"id": "text", "kind": "tool", "tool": "doc_text", "with": {"object": ref("input.object_id")}},
        {"id": "fields", "kind": "tool", "tool": "doc_extract_fields", "retry": 1, "with": {
            "object": ref("input.object_id"), "run": ref("run.id"), "schema": ref("input.schema"), "step": "fields",
            "text": ref("steps.text.output.result")}},
        {"id": "has_form", "kind": "choice", "when": {"empty": ref("input.template")},
         "then": "translate_source", "else": "form"},
        {"id": "form", "kind": "tool", "tool": "doc_render", "with": {
            "data": ref("steps.fields.output.result.fields"), "object": ref("input.object_id"), "run": ref("run.id"),
            "step": "form", "template": ref("input.template")}},
        {"id": "translate_form", "kind": "map", "over": ref("input.locales"), "tool": "doc_translate", "with": {
            "locale": ref("item"), "object": ref("steps.form.output.result.object_id"), "run": ref("run.id"),
            "step": "translate"}, "end": True},
        {"id": "translate_source", "kind": "map", "over": ref("input.locales"), "tool": "doc_translate", "with": {
            "locale": ref("item"), "object": ref("input.object_id"), "run": ref("run.id"), "step": "translate"},
         "end": True},
    ],
}  # fmt: skip
TRANSLATE_CHAT: dict[str, Any] = {
    "format": 1, "slug": "translate-chat", "version": 1, "start": "chat", "max_steps": 20,
    "inputs": {"message": {"type": "string"}},
    "steps": [
        {"id": "chat", "kind": "tool", "tool": "chat_message", "with": {"text": ref("input.message")}},
        {"id": "to_all", "kind": "map", "over": ["es", "nl", "is"], "tool": "translate_text", "with": {
            "source": ref("principal.locale"), "target": ref("item"), "text": ref("steps.chat.output.result")}},
        {"id": "back_home", "kind": "map", "over": ref("steps.to_all.output.results"), "tool": "translate_text",
         "with": {"target": ref("principal.locale"), "text": ref("item.result")}, "end": True},
    ],
}  # fmt: skip
SHIPPED = (INDEX_DOCUMENTS, INDEX_KNOWLEDGE, PROCESS_UPLOAD, TRANSLATE_CHAT)


def shipped(raw: dict[str, Any]) -> WorkflowSpec:
    return validate(raw, SHAPES.get)


def faults(raw: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(InvalidSpec) as refused:
        validate(raw, SHAPES.get)
    return [(error.pointer, error.message) for error in refused.value.extra["errors"]]


@pytest.mark.parametrize("raw", SHIPPED, ids=lambda raw: raw["slug"])
def test_a_shipped_workflow_is_valid(raw: dict[str, Any]) -> None:
    spec = shipped(raw)
    assert [step.id for step in spec.steps] == [step["id"] for step in raw["steps"]]


def test_forty_documents_fit_and_fifty_do_not() -> None:
    spec = shipped(INDEX_DOCUMENTS)
    assert transitions.advance(spec, "find", 1, {"extract": 40}) == Begin("extract", 40)
    assert transitions.advance(spec, "find", 1, {"extract": 49}) == Begin("extract", 49)
    refused = transitions.advance(spec, "find", 1, {"extract": 50})
    assert isinstance(refused, transitions.Fail) and refused.code == "max_steps_exceeded"
    assert transitions.advance(spec, "find", 1, {"extract": 0}) == Finish(("extract",))


@pytest.mark.parametrize(("is_empty", "following"), [(True, "translate_source"), (False, "form")])
def test_an_upload_without_a_template_gets_no_form(is_empty: bool, following: str) -> None:
    spec = shipped(PROCESS_UPLOAD)
    counts = transitions.measure_input(spec, {"locales": ["es", "nl"]})
    assert counts == {"translate_form": 2, "translate_source": 2}
    begun = transitions.advance(spec, "has_form", 3, counts, is_empty)
    assert isinstance(begun, Begin) and begun.step_id == following
    assert transitions.advance(spec, "translate_form", 6, counts) == Finish()


def test_translations_go_back_as_many_as_came() -> None:
    spec = shipped(TRANSLATE_CHAT)
    assert transitions.advance(spec, "chat", 1, {}) == Begin("to_all", 3)
    assert transitions.advance(spec, "to_all", 4, {}) == Begin("back_home", 3)


def test_a_form_is_not_there_for_those_who_have_none() -> None:
    raw = copy.deepcopy(PROCESS_UPLOAD)
    raw["steps"][5]["with"]["object"] = ref("steps.form.output.result.object_id")
    assert faults(raw) == [
        ("/steps/5/with/object/$ref", "reads the step form, which has not run on every way that leads here")
    ]


def test_types_that_never_agree_are_refused() -> None:
    raw = copy.deepcopy(TRANSLATE_CHAT)
    raw["steps"][2]["with"]["text"] = ref("item")
    assert faults(raw) == [("/steps/2/with/text/$ref", "must be of type string, not object")]
    raw = copy.deepcopy(PROCESS_UPLOAD)
    raw["inputs"]["locales"]["type"] = "string"
    assert faults(raw) == [
        ("/steps/4/over/$ref", "must be a list: this is of type string"),
        ("/steps/5/over/$ref", "must be a list: this is of type string"),
    ]
    raw = copy.deepcopy(TRANSLATE_CHAT)
    raw["steps"][2]["over"] = ref("steps.chat.output.result")
    raw["steps"][1]["over"][1] = 5
    assert ("/steps/2/over/$ref", "must be a list: this is of type string") in faults(raw)
