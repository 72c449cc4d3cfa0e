"""The exception of this package."""


class OpsError(Exception):
    """The operation failed; the message is one line that says why."""
