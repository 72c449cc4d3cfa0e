"""The bare application behind Teamspace's own HTTP server: `python -m benchmarks.wire_server PORT`."""

import asyncio
import sys

import uvloop

from benchmarks.wire import echo
from teamspace.core.wire import Server, WireLimits


async def main(port: int) -> None:
    await Server(echo, limits=WireLimits()).listen("127.0.0.1", port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
