"""Names of time zones."""

from importlib import resources

_UNSET = "Factory"
"""In the database, the zone of a machine whose zone nobody has set."""

# From the package, not from the operating system: a slim image has no zones, and others have different ones. A name is
# only ever compared with this list, never opened as a file.
TIME_ZONES = frozenset(resources.files("tzdata").joinpath("zones").read_text("ascii").split()) - {_UNSET}
"""All zones and links of the IANA database."""
