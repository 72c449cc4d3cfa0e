"""The API description as one plain HTML page, without scripts or external assets."""

import base64
import hashlib
import re
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --ink: #1f1d1a; --muted: #625d56; --paper: #faf9f7; --card: #fff; --line: #e4e0da; --accent: #0f6b62 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #f1eee9; --muted: #aaa49b; --paper: #151413; --card: #1e1d1b; --line: #35322e; --accent: #5cc9b8 }
}
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; font: 15.5px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
h1 { font-size: 27px } h2 { font-size: 18px; margin-top: 2.5rem; text-transform: capitalize } h3 { font-size: 14px; margin-bottom: .25rem }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer; overflow-wrap: anywhere } summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
code { font: 13.5px ui-monospace, monospace; overflow-wrap: anywhere } b.method { display: inline-block; min-width: 4.5rem; color: var(--accent) }
a { color: var(--accent) } p.doc, td.type { color: var(--muted) } p.doc { margin: .1rem 0 0; font-size: 14px } table { border-collapse: collapse; width: 100% }
td:first-child { width: 12rem } td { border-top: 1px solid var(--line); padding: .25rem .75rem .25rem 0; vertical-align: top; font-size: 14px }
"""
_QUOTED = re.compile(r"`([^`]+)`")
STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def render(document: dict[str, Any]) -> tuple[bytes, str]:
    """Return the page, and the hash of its style sheet for the content security policy."""
    info = document["info"]
    sections = "".join(_section(document, tag) for tag in _tags(document))
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1>"
        "<p>Send <code>Authorization: Bearer &lt;token&gt;</code>. Machine-readable version: "
        '<a href="/api/openapi.json">openapi.json</a>.</p>'
        f"{sections}</main></body></html>"
    )
    return page.encode(), STYLE_HASH


def _tags(document: dict[str, Any]) -> list[str]:
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    return list(dict.fromkeys(tag for operation in operations for tag in operation["tags"]))


def _section(document: dict[str, Any], tag: str) -> str:
    rows = [
        _operation(document, method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag in operation["tags"]
    ]
    return f"<h2>{escape(tag)}</h2>" + "".join(rows)


def _operation(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    parts = [f"<p>{_with_code(operation['description'])}</p>", _parameters(operation)]
    if "requestBody" in operation:
        parts.append("<h3>Body</h3>" + _contents(document, operation["requestBody"]["content"]))
    errors = []
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            parts.append(f"<h3>{status} {_with_code(response['description'])}</h3>")
            parts.append(_contents(document, response.get("content", {})))
        else:
            errors.append((status, response["description"]))
    parts.append("<h3>Errors</h3>" + _table(errors))
    return (
        f'<details><summary><b class="method">{method.upper()}</b> <code>{escape(path)}</code>'
        f'<p class="doc">{escape(operation["summary"])}</p></summary>{"".join(parts)}</details>'
    )


def _parameters(operation: dict[str, Any]) -> str:
    rows = [(p["name"], f"{p['in']}, {_type(p['schema'])}") for p in operation["parameters"]]
    return "<h3>Parameters</h3>" + _table(rows) if rows else ""


def _contents(document: dict[str, Any], contents: dict[str, Any]) -> str:
    parts = []
    for kind, content in contents.items():
        schema = content.get("schema", {})
        name = schema.get("$ref", "").rsplit("/", 1)[-1]
        shape = document["components"]["schemas"].get(name, schema)
        required = shape.get("required", ())
        rows = [
            (field if field in required else f"{field}?", _type(value))
            for field, value in shape.get("properties", {}).items()
        ]
        parts.append(f"<p><code>{escape(kind)}</code> {_with_code(shape.get('description', ''))}</p>{_table(rows)}")
    return "".join(parts)


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td><code>{escape(name)}</code></td><td class="type">{_with_code(kind)}</td></tr>' for name, kind in rows
    )
    return f"<table>{cells}</table>" if rows else ""


def _with_code(text: str) -> str:
    return _QUOTED.sub(r"<code>\1</code>", escape(text))


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in schema:
        return " or ".join(_type(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
