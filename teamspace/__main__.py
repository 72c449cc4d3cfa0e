"""`python -m teamspace` is `teamspace`."""

from teamspace.cli import main

main()
