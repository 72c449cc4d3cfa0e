"""`python -m tests.server.hurried serve`: the server, with little time between the end of a stop and what enforces it."""

from teamspace import cli, server

if __name__ in ("__main__", "__mp_main__"):  # the second in the processes that a supervisor starts
    server._LAST_RESORT_SECONDS, server._KILL_SECONDS = 0.5, 1.0

if __name__ == "__main__":
    cli.main()
