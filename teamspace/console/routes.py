"""The page at the root of the instance."""

from teamspace.core.replies import Content
from teamspace.core.routing import PUBLIC, Route

# fmt: off
ROUTES = (
    Route("GET", "/", PUBLIC, None, None, "home", "A page that says what runs here and where to go."),
)
# fmt: on

_PAGE = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Teamspace</title>
</head>
<body>
<main>
<h1>Teamspace</h1>
<p>The server is running. Its API is described at <a href="/api/docs">/api/docs</a>.</p>
</main>
</body>
</html>
"""
_HEADERS = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}


async def home() -> Content:
    return Content(_PAGE, "text/html; charset=utf-8", _HEADERS)
