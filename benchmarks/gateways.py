"""Gateways in front of one model server: none, a forwarder, Teamspace, Portkey and LiteLLM."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from benchmarks.load import request
from benchmarks.processes import Server, free_port
from benchmarks.subject import FIRST_USER, environment
from benchmarks.targets import call
from benchmarks.upstream import MODEL

COMPLETIONS = "/v1/chat/completions"
PROMPT = "Say some words about the weather in the north of the country. " * 4
LIMITS = (
    {"dimension": "ai.requests", "limit": 10**9, "window": "day"},
    {"dimension": "ai.tokens.total", "limit": 10**12, "window": "month"},
    {"dimension": "ai.concurrency", "limit": 100},
)
"""Of the team: checked at every chat, and never reached."""
PORTKEY, LITELLM = "GATEWAY_PORTKEY", "GATEWAY_LITELLM"
"""Environment variables: the folders in which the peers are installed, if they are not to be installed here."""
_PEERS = Path(__file__).parent / ".peers"


class Gateway(Protocol):
    name: str
    server: Server

    def prepare(self) -> None:
        """Start the server and set it up."""

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        """The request of a chat, by the name under which it is reported."""


def openai_chat(
    *, stream: bool, model: str = MODEL, token: str = "", headers: Mapping[str, str] | None = None
) -> bytes:
    asked = {"model": model, "messages": [{"role": "user", "content": PROMPT}], "stream": stream}
    return request("POST", COMPLETIONS, token, json.dumps(asked).encode(), headers)


class Bare:
    """The model server itself."""

    name = "bare"

    def __init__(self, folder: Path) -> None:
        port = free_port()
        command = [sys.executable, "-m", "benchmarks.upstream", str(port)]
        self.server = Server(command, port, "/v1/models", folder / "log")

    def prepare(self) -> None:
        self.server.start()

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        return {self.name: openai_chat(stream=stream)}


class Forwarder:
    """Teamspace's HTTP server and HTTP client alone: what a chat would take without rights, limits, jobs and a database."""

    name = "forwarder"

    def __init__(self, folder: Path, upstream: int) -> None:
        port = free_port()
        command = [sys.executable, "-m", "benchmarks.forwarder", str(port), str(upstream)]
        self.server = Server(command, port, "/v1/models", folder / "log")

    def prepare(self) -> None:
        self.server.start()

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        return {self.name: openai_chat(stream=stream)}


class Teamspace:
    """Teamspace as people run it: with tokens, limits at the team's level, usage, jobs and an audit log."""

    def __init__(self, folder: Path, upstream: int, database_url: str = "") -> None:
        self.name = "teamspace-postgres" if database_url else "teamspace"
        port = free_port()
        executor = {"name": "upstream", "url": f"http://127.0.0.1:{upstream}/v1", "model": MODEL}
        settings = environment(folder / "data", port, database_url) | {
            "SERVICE_EXECUTORS": json.dumps([executor]), "SERVICE_EGRESS_ALLOW": f"127.0.0.1:{upstream}",
        }  # fmt: skip
        self.server = Server([sys.executable, "-m", "teamspace", "serve"], port, "/health", folder / "log", settings)
        self.token = ""

    def prepare(self) -> None:
        self.server.start()
        self.token = call(self.server.port, "POST", "/api/bootstrap", body=FIRST_USER)["token"]
        for limit in LIMITS:
            call(self.server.port, "POST", "/api/quota", self.token, limit)

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        path = "/api/ai/chat/stream" if stream else "/api/ai/chat"
        own = request("POST", path, self.token, json.dumps({"prompt": PROMPT}).encode())
        openai = openai_chat(stream=stream, model="default", token=self.token)
        return {self.name: openai, f"{self.name}, own API": own}


class Portkey:
    """Portkey's gateway: no tokens, no quotas, nothing stored."""

    name = "portkey"

    def __init__(self, folder: Path, upstream: int) -> None:
        program = installed_portkey()
        port = free_port()
        command = [shutil.which("node") or "node", str(program), f"--port={port}", "--headless"]
        # As its container runs it; otherwise it would log every request.
        settings = {"NODE_ENV": "production", "TRUSTED_CUSTOM_HOSTS": "127.0.0.1,localhost"}
        self.server = Server(command, port, "/", folder / "log", settings)
        self.headers = {"x-portkey-provider": "openai", "x-portkey-custom-host": f"http://127.0.0.1:{upstream}/v1"}

    def prepare(self) -> None:
        self.server.start()

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        return {self.name: openai_chat(stream=stream, token="none", headers=self.headers)}


class LiteLlm:
    """LiteLLM's proxy with one worker, without a database: one key for everyone, no quotas, nothing stored."""

    name = "litellm"

    def __init__(self, folder: Path, upstream: int) -> None:
        program = installed_litellm()
        port = free_port()
        model = {"model": f"openai/{MODEL}", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "none"}
        config = folder / "config.yaml"
        config.write_text(json.dumps({"model_list": [{"model_name": MODEL, "litellm_params": model}]}))
        command = [str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
        self.key = f"sk-{secrets.token_hex(32)}"
        settings = {
            "LITELLM_MASTER_KEY": self.key,
            "LITELLM_TELEMETRY": "False",
            "LITELLM_LOG": "ERROR",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        self.server = Server(command, port, "/health/liveliness", folder / "log", settings, patience=180)

    def prepare(self) -> None:
        self.server.start()

    def chats(self, *, stream: bool) -> dict[str, bytes]:
        return {self.name: openai_chat(stream=stream, token=self.key)}


def installed_portkey() -> Path:
    """Return Portkey's program, which npm installs on the first run."""
    folder = Path(os.environ.get(PORTKEY, _PEERS / "portkey"))
    program = folder / "node_modules/@portkey-ai/gateway/build/start-server.js"
    if not program.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(__file__).parent / "portkey/package.json", folder)
        subprocess.run(["npm", "install", "--silent", "--legacy-peer-deps", "--prefix", folder], check=True)
    return program


def installed_litellm() -> Path:
    """Return LiteLLM's program, which is installed in an environment of its own on the first run."""
    folder = Path(os.environ.get(LITELLM, _PEERS / "litellm"))
    program = folder / "bin/litellm"
    if not program.is_file():
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", "litellm[proxy]"], check=True)
    return program
