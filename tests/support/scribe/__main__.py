"""`python -m tests.support.scribe serve`: the server with this plugin."""

from functools import partial

from teamspace import app, cli, server, wiring
from teamspace.core import loader
from teamspace.core.loader import Package

if __name__ == "__main__":
    tables = loader.load([Package("tests.support.scribe")], wiring.TABLES, wiring.SHIPPED)
    server.App = partial(app.App, tables=tables)  # type: ignore[attr-defined, assignment]
    cli.main()
