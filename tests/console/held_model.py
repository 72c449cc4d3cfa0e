"""A model server that stops in the middle of an answer until a test lets it go on, however long the browser takes."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.upstream import DONE, delta

KEEP_ALIVE = b": wait\n\n"


class HeldModel:
    """Answers with the words of a text, and stops before the word at `position`."""

    def __init__(self, text: str, position: int) -> None:
        self._words = [f"{word} " for word in text.split()]
        self._position = position
        self._released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        address = f"127.0.0.1:{self._server.server_port}"
        self.settings = {
            "SERVICE_MODEL_URL": f"http://{address}/v1", "SERVICE_MODEL": "tiny", "SERVICE_EGRESS_ALLOW": address,
        }  # fmt: skip

    @contextmanager
    def serving(self) -> Iterator["HeldModel"]:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self.go_on()
            self._server.shutdown()
            self._server.server_close()

    def go_on(self) -> None:
        """Let this answer and all others end."""
        self._released.set()

    def _pieces(self) -> Iterator[bytes]:
        yield from map(delta, self._words[: self._position])
        while not self._released.wait(1):
            yield KEEP_ALIVE
        yield from map(delta, self._words[self._position :])
        yield delta(finish_reason="stop")
        yield DONE

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._begin("application/json")
                self.wfile.write(b'{"object": "list", "data": []}')

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                assert asked["stream"], "only conversations use this model"
                self._begin("text/event-stream")
                with suppress(ConnectionError):  # a server that was killed or needs no more
                    self.wfile.writelines(model._pieces())

            def _begin(self, content_type: str) -> None:
                self.send_response(200)
                self.send_header("content-type", content_type)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        return Handler
