"""Runs the command line: `python -m teamspace` is the same as `teamspace`."""

from teamspace.cli import main

main()
