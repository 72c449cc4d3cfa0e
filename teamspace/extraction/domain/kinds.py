"""Which files can be read: by their content type, or by the filename extension if the content type is generic."""

TEXT = "text/plain"
"""Everything that is read as plain text: text, tables, data, source code."""
PDF = "application/pdf"
HTML = "text/html"
EMAIL = "message/rfc822"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"

SLIDES = f"{_OPEN}.presentation"
PACKED = frozenset({
    f"{_OFFICE}.wordprocessingml.document", f"{_OFFICE}.spreadsheetml.sheet", f"{_OFFICE}.presentationml.presentation",
    f"{_OPEN}.text", f"{_OPEN}.spreadsheet", SLIDES,
})  # fmt: skip
"""Zip archives with XML inside."""
_DOCUMENTS = PACKED | {PDF, HTML, EMAIL}
_ALIASES = {"application/xhtml+xml": HTML, "application/x-pdf": PDF}
_TEXT_TYPES = frozenset({
    "application/json", "application/x-ndjson", "application/xml", "application/yaml", "application/x-yaml",
    "application/toml", "application/sql", "application/javascript", "application/typescript", "application/x-sh",
    "application/x-python", "application/x-httpd-php", "application/csv", "application/x-tex",
})  # fmt: skip
_NO_TEXT_TYPES = frozenset({"text/rtf", "text/richtext"})
_GENERIC = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-download"})
_BY_ENDING = {
    "pdf": PDF, "html": HTML, "htm": HTML, "xhtml": HTML, "eml": EMAIL,
    "docx": f"{_OFFICE}.wordprocessingml.document", "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "odt": f"{_OPEN}.text", "ods": f"{_OPEN}.spreadsheet", "odp": SLIDES,
}  # fmt: skip
_TEXT_ENDINGS = frozenset(
    [
        "txt",
        "text",
        "md",
        "markdown",
        "rst",
        "adoc",
        "org",
        "tex",
        "csv",
        "tsv",
        "json",
        "jsonl",
        "ndjson",
        "geojson",
        "xml",
        "yaml",
        "yml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "properties",
        "env",
        "log",
        "diff",
        "patch",
        "sql",
        "graphql",
        "proto",
        "py",
        "pyi",
        "ipynb",
        "js",
        "mjs",
        "cjs",
        "jsx",
        "ts",
        "tsx",
        "vue",
        "svelte",
        "css",
        "scss",
        "less",
        "java",
        "kt",
        "kts",
        "scala",
        "groovy",
        "c",
        "h",
        "cc",
        "cpp",
        "cxx",
        "hpp",
        "cs",
        "go",
        "rs",
        "swift",
        "m",
        "mm",
        "rb",
        "php",
        "pl",
        "pm",
        "lua",
        "r",
        "jl",
        "ex",
        "exs",
        "erl",
        "hs",
        "ml",
        "mli",
        "clj",
        "dart",
        "zig",
        "nim",
        "sh",
        "bash",
        "zsh",
        "fish",
        "ps1",
        "bat",
        "cmd",
        "tf",
        "hcl",
        "nix",
        "cmake",
        "gradle",
        "make",
        "mk",
        "dockerfile",
        "makefile",
        "srt",
        "vtt",
    ]
)

_IMAGES = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/tiff", "image/x-ms-bmp"}
)
DRAWN = "drawn:"
"""Before the type of a file that is to be drawn, not read."""
RENDERED = "rendered:text/markdown"
"""A Markdown text that is to be written as HTML."""
IMAGE = "image/*"
"""Everything that is drawn as an image; its content says which."""


def can_read(content_type: str, filename: str) -> bool:
    return kind_of(content_type, filename) is not None


def kind_of(content_type: str, filename: str) -> str | None:
    """Return the type as which a file is read, or None."""
    declared = content_type.partition(";")[0].strip().lower()
    declared = _ALIASES.get(declared, declared)
    if declared in _DOCUMENTS:
        return declared
    ending = filename.rpartition(".")[2].rpartition("/")[2].lower()
    if declared in _GENERIC or declared == TEXT:
        # Many clients send text/plain for every type they do not know.
        return _BY_ENDING.get(ending) or (TEXT if ending in _TEXT_ENDINGS or declared == TEXT else None)
    structured = declared.endswith(("+json", "+xml")) and not declared.startswith("image/")
    is_text = declared.startswith("text/") and declared not in _NO_TEXT_TYPES
    return TEXT if is_text or structured or declared in _TEXT_TYPES else None


def drawn_kind_of(content_type: str) -> str | None:
    """Return the type as which a file is drawn, or None."""
    declared = content_type.partition(";")[0].strip().lower()
    declared = _ALIASES.get(declared, declared)
    return IMAGE if declared in _IMAGES else PDF if declared == PDF else None
