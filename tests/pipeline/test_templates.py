"""Text templates: fields, lists, escaping, what is missing, and the worst shapes at the limits."""

import json
from typing import Any

import pytest

from teamspace.core.errors import BadRequest, TooLarge
from teamspace.pipeline.domain import templates
from teamspace.pipeline.domain.templates import Rendering


def fill(template: str, data: Any, escape: templates.Escape = templates.keep) -> tuple[str, list[str]]:
    rendering = Rendering(data, escape)
    return templates.render(templates.parse(template), rendering), list(rendering.missing)


@pytest.mark.parametrize(
    ("template", "data", "text"),
    [
        ("{{a}} {{ a }}", {"a": "x"}, "x x"),
        ("{{a.b.c}}", {"a": {"b": {"c": 3}}}, "3"),
        ("{{a.1.b}}", {"a": [0, {"b": "second"}]}, "second"),
        ("{{a}}", {"a": 1250.5}, "1250.5"),
        ("{{a}} {{b}}", {"a": True, "b": False}, "true false"),
        ("{{a}}", {"a": ["x", 2]}, "x, 2"),
        ("{{a}}", {"a": {"b": 1}}, '{"b":1}'),
        ("{{#a}}[{{.}}]{{/a}}", {"a": [1, "b"]}, "[1][b]"),
        ("{{#a}}{{b}}-{{c}};{{/a}}", {"a": [{"b": 1}, {"b": 2, "c": 3}], "c": 9}, "1-9;2-3;"),
        ("{{#a}}{{#b}}{{x}}{{y}} {{/b}}{{/a}}", {"a": [{"x": 1, "b": [{"y": 2}, {"y": 3}]}]}, "12 13 "),
        ("{{#a}}{{b}}{{/a}}", {"a": {"b": "inside"}}, "inside"),
        ("{{#a}}no{{/a}}{{#b}}no{{/b}}", {"a": [], "b": False}, ""),
        ("{{größe}} {{a-b}}", {"größe": 1, "a-b": 2}, "1 2"),
    ],
)
def test_fields_and_lists_are_filled_in(template: str, data: Any, text: str) -> None:
    assert fill(template, data) == (text, [])


@pytest.mark.parametrize(
    "template",
    [
        "{{x.__class__}}",
        "{{ __import__('os') }}",
        "{% if x %}",
        "{{x()}}",
        "{{x|safe}}",
        "{{{x}}",
        "{{}}",
        "{{#}}",
        "{{x",
        "${x}",
    ],
)
def test_what_is_no_field_is_text(template: str) -> None:
    assert fill(template.replace("{{{x}}", "{{ {x}}"), {"x": "value"})[0] == template.replace("{{{x}}", "{{ {x}}")


def test_what_is_missing_is_empty_and_named_once() -> None:
    text, missing = fill("[{{a}}][{{b.c}}][{{a}}]{{#list}}x{{/list}}{{null}}", {"b": {}, "null": None})
    assert (text, missing) == ("[][][]", ["a", "b.c", "list", "null"])


def test_html_is_escaped() -> None:
    text, _ = fill('<a title="{{a}}">{{a}}</a>', {"a": "<script>\"'&"}, templates.escape_html)
    assert text == '<a title="&lt;script&gt;&quot;&#x27;&amp;">&lt;script&gt;&quot;&#x27;&amp;</a>'


def test_a_value_is_never_a_template() -> None:
    assert fill("{{a}}", {"a": "{{b}}{{#a}}", "b": "secret"}) == ("{{b}}{{#a}}", [])


@pytest.mark.parametrize("template", ["{{#a}}", "{{/a}}", "{{#a}}{{/b}}", "{{#a}}{{#b}}{{/a}}{{/b}}"])
def test_a_section_that_does_not_end_is_refused(template: str) -> None:
    with pytest.raises(BadRequest, match="section"):
        fill(template, {})


def test_sections_have_a_depth() -> None:
    names = [f"a{n}" for n in range(templates.MAX_DEPTH + 1)]
    nested = "".join(f"{{{{#{name}}}}}" for name in names) + "".join(f"{{{{/{name}}}}}" for name in reversed(names))
    with pytest.raises(BadRequest, match="within each other"):
        fill(nested, {})


def test_ten_thousand_fields_of_a_megabyte_are_filled_in() -> None:
    data = {f"field{n}": "x" * 100 for n in range(10_000)}
    assert len(json.dumps(data)) > 1024 * 1024
    text, missing = fill("".join(f"{{{{field{n}}}}}\n" for n in range(10_000)), data)
    assert (len(text), missing) == (101 * 10_000, [])


@pytest.mark.parametrize(
    ("template", "data"),
    [
        ("{{#a}}{{#a}}{{#a}}{{/a}}{{/a}}{{/a}}", {"a": [1] * 1000}),
        ("{{#a}}{{b}}{{/a}}", {"a": [1] * 10_000, "b": "x" * 1000}),
        ("{{a}}" * 10_000, {"a": "x" * 1000}),
        ("{{#a}}" * 15 + "x" + "{{/a}}" * 15, {"a": [0, 1]} | {"a": [[0, 1]] * 9}),
    ],
)
def test_output_and_steps_are_limited(template: str, data: Any) -> None:
    with pytest.raises(TooLarge):
        fill(template, data)


@pytest.mark.parametrize(
    "template",
    [
        "{{" * 250_000,
        "{{a" * 200_000,
        "{{ " + " " * 500_000,
        "{{a" + ".b" * 250_000 + "}}",
        "{" * 500_000,
        "{{#a}}{{/a}}" * 40_000,
    ],
)
def test_hostile_templates_take_linear_time(template: str) -> None:
    """No assertion on time: a pattern that backtracks would not come to an end."""
    fill(template, {"a": []})
