"""The content types of files that the server serves as they are, by the end of their names."""

from pathlib import PurePosixPath

_BY_SUFFIX = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}


def find_content_type(name: str) -> str | None:
    """Return the content type of a file; None if files with such a name are not served."""
    return _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
