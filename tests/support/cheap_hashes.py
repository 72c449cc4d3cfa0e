"""`python -m tests.support.cheap_hashes serve`: the server, with password hashes that cost next to nothing.

A real hash takes 0.2 s by design.
"""

from argon2 import PasswordHasher

from teamspace import cli
from teamspace.identity.domain import passwords

HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


if __name__ in ("__main__", "__mp_main__"):  # the second in the processes that a supervisor starts
    passwords.hasher = HASHER

if __name__ == "__main__":
    cli.main()
