"""`python -m benchmarks.another_build serve`: the server, with the console that is built in the folder CONSOLE_BUILD."""

import os
from pathlib import Path

from teamspace import cli
from teamspace.console import domain

if __name__ == "__main__":
    folder = Path(os.environ["CONSOLE_BUILD"])
    domain._static = lambda: folder
    cli.main()
