"""How much a file may ask for."""

MIB = 1 << 20

FILE_BYTES = 100 * MIB
TEXT_BYTES = 2 * MIB
"""What is kept of a text."""
READ_BYTES = 8 * MIB
"""How far a plain text is read: what is kept, in the widest encoding."""

PLAIN_BYTES = MIB
"""Plain texts up to here are read in the server: decoding them takes a millisecond or two, whatever is in them."""

UNPACKED_BYTES = 100 * MIB
UNPACKED_RATIO = 100
UNPACKED_MEMBERS = 1_000
RATIO_FROM = 10 * MIB
"""Below this an archive may be packed as tightly as it likes."""

MEMORY_BYTES = 512 * MIB
CPU_SECONDS = 20
WALL_SECONDS = 30.0
AT_ONCE = 2
"""Files that are read at a time, each by a reader of its own."""
IDLE_SECONDS = 60.0
"""How long a reader is kept when there is nothing to read."""
