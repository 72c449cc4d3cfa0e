"""The one fault of this package."""


class CareError(Exception):
    """It cannot be done; the message is the one line that says why."""
