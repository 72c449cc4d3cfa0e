"""Limits of text extraction."""

MIB = 1 << 20

FILE_BYTES = 100 * MIB
TEXT_BYTES = 2 * MIB
"""How much of a text is stored."""
READ_BYTES = 8 * MIB
"""How much of a plain text is read: TEXT_BYTES in the widest encoding."""

PLAIN_BYTES = MIB
"""Plain texts up to this size are read in the server: decoding takes a millisecond or two, whatever the content."""

UNPACKED_BYTES = 100 * MIB
UNPACKED_RATIO = 100
UNPACKED_MEMBERS = 1_000
RATIO_FROM = 10 * MIB
"""The compression ratio is only checked for archives with more unpacked bytes than this."""

SMALL_PIXELS, LARGE_PIXELS = 96, 480
"""The longer side of a thumbnail: in a row, and in a tile."""
PIXELS = 100_000_000
"""How many an image may have; the memory limit stops most formats before."""
PAGE_POINTS = 14_400.5
"""The longer side of the largest page that PDF allows without a unit of its own."""
THUMBNAIL_BYTES = MIB

RENDER_SECONDS = 2
"""Of processor time, for a text that is rendered."""
HTML_BYTES = MIB

MEMORY_BYTES = 512 * MIB
CPU_SECONDS = 20
WALL_SECONDS = 30.0
MAX_READERS = 2
"""Files that are read at a time, each by its own reader process."""
IDLE_SECONDS = 60.0
"""How long an idle reader process is kept."""
