"""`python -m tests.support.scribe serve`: the server with this plugin."""

from functools import partial

from teamspace import app, cli, server, wiring
from teamspace.core.loader import Package

if __name__ == "__main__":
    server.App = partial(app.App, tables=wiring.load([Package("tests.support.scribe", "scribe")]))  # type: ignore[attr-defined, assignment]
    cli.main()
