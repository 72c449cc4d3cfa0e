"""Limits of sandboxed plugins."""

MIB = 1 << 20

SENT_BYTES = MIB
"""The longest message to a plugin, and the longest request of one."""
RECEIVED_BYTES = 4 * MIB
"""The longest answer of a plugin."""
HANDSHAKE_SECONDS = 5.0
CALL_SECONDS = 30.0
CALLS = 8
"""That a plugin works on at a time; others wait."""
TOOLS = 64

REQUESTS = 8
"""Of a plugin that are answered at a time; then no more are read."""
REQUESTS_PER_CALL = 100
LINES_PER_SECOND, BYTES_PER_SECOND = 500, 16 * MIB
"""What is read of a plugin, besides answers to our calls; one that writes more has to wait."""
BURST_SECONDS = 0.05
"""So much of it is read at once."""
LOG_LINES_PER_MINUTE = 60

STORED_BYTES = 10 * MIB
"""Of a plugin, in each company."""
VALUE_BYTES = 256 * 1024
KEYS = 1000
FETCHED_BYTES = 5 * MIB
FETCH_SECONDS = 20.0

FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
"""Seconds before a restart; twice as long after each that fails."""
STEADY_SECONDS = 60.0
"""A plugin that has run for so long has started well."""
CRASHES, CRASH_SECONDS = 5, 600.0
"""So many within this time disable a plugin."""
