"""A real OpenAI-compatible server: llama.cpp with a model of random weights.

As a program it serves the given model file and prints its address.
"""

import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

_BYTES = [f"<0x{number:02X}>" for number in range(256)]
_TOKENS = ["<unk>", "<s>", "</s>", *_BYTES, *(f"▁{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
_KINDS = [2, 3, 3, *([6] * 256), *([1] * 26)]
"""llama.cpp's token types: unknown, control, byte, normal."""
_UNLIKELY = {index for index, token in enumerate(_TOKENS) if not token.startswith("▁") and not 33 <= index - 3 < 127}
"""Tokens that the model writes only if a grammar demands them: the end, and bytes that are not visible characters."""
_WIDTH, _INNER, _CONTEXT = 32, 64, 32768
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_ALIGNMENT = 32
_TEMPLATE = """\
{% if tools %}<|im_start|>system
{{ tools | tojson }}<|im_end|>
{% endif %}{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}{% if message.tool_calls %}{% set call = message.tool_calls[0].function %}\
}{"name": "{{ call.name }}", "arguments": {{ call.arguments | tojson }}}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
"""ChatML, in which a call of a tool begins with a bracket. Noise has one soon; llama.cpp's grammar writes the rest."""


def write_model(path: Path) -> None:
    """Write a GGUF file, version 3: header, metadata, tensor table, tensor data."""
    metadata, tensors = _metadata(), _tensors()
    table, data = b"", b""
    for name, shape in tensors.items():
        table += _text(name) + struct.pack("<I", len(shape))
        table += struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", 0, len(data))
        data += _padded(_random(name, shape))
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    path.write_bytes(_padded(header + b"".join(_entry(*entry) for entry in metadata) + table) + data)


def _metadata() -> list[tuple[str, int, Any]]:
    return [
        ("general.architecture", _STRING, "llama"),
        ("general.name", _STRING, "noise"),
        ("llama.context_length", _UINT32, _CONTEXT),
        ("llama.embedding_length", _UINT32, _WIDTH),
        ("llama.block_count", _UINT32, 1),
        ("llama.feed_forward_length", _UINT32, _INNER),
        ("llama.attention.head_count", _UINT32, 2),
        ("llama.attention.head_count_kv", _UINT32, 2),
        ("llama.attention.layer_norm_rms_epsilon", _FLOAT32, 1e-5),
        ("llama.rope.dimension_count", _UINT32, _WIDTH // 2),
        ("tokenizer.ggml.model", _STRING, "llama"),
        ("tokenizer.ggml.tokens", _ARRAY, (_STRING, _TOKENS)),
        ("tokenizer.ggml.scores", _ARRAY, (_FLOAT32, [0.0] * len(_TOKENS))),
        ("tokenizer.ggml.token_type", _ARRAY, (_INT32, _KINDS)),
        ("tokenizer.ggml.unknown_token_id", _UINT32, 0),
        ("tokenizer.ggml.bos_token_id", _UINT32, 1),
        ("tokenizer.ggml.eos_token_id", _UINT32, 2),
        # A response format's grammar begins with the template's text, which must be the same as tokens.
        ("tokenizer.ggml.add_space_prefix", _BOOL, False),
    ]


def _tensors() -> dict[str, tuple[int, ...]]:
    square, wide = (_WIDTH, _WIDTH), (_WIDTH, _INNER)
    block = {
        "attn_norm": (_WIDTH,), "attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square,
        "ffn_norm": (_WIDTH,), "ffn_gate": wide, "ffn_up": wide, "ffn_down": (_INNER, _WIDTH),
    }  # fmt: skip
    outer = {"token_embd": (_WIDTH, len(_TOKENS)), "output_norm": (_WIDTH,), "output": (_WIDTH, len(_TOKENS))}
    return {f"{name}.weight": shape for name, shape in (outer | {f"blk.0.{key}": block[key] for key in block}).items()}


def _random(name: str, shape: tuple[int, ...]) -> bytes:
    count = shape[0] * (shape[1] if len(shape) == 2 else 1)
    rng = random.Random(name)
    numbers = [1.0] * count if len(shape) == 1 else [rng.gauss(0, 0.5) for _ in range(count)]
    if name == "output.weight":
        for token in _UNLIKELY:
            numbers[token * _WIDTH : (token + 1) * _WIDTH] = [0.0] * _WIDTH
    return struct.pack(f"<{count}f", *numbers)


def _entry(name: str, kind: int, value: Any) -> bytes:
    return _text(name) + struct.pack("<I", kind) + _value(kind, value)


def _value(kind: int, value: Any) -> bytes:
    if kind == _STRING:
        return _text(value)
    if kind == _ARRAY:
        inner, values = value
        return struct.pack("<IQ", inner, len(values)) + b"".join(_value(inner, item) for item in values)
    return struct.pack({_UINT32: "<I", _INT32: "<i", _FLOAT32: "<f", _BOOL: "<?"}[kind], value)


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)


class Llama:
    """The server in a separate process; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._model = folder / "noise.gguf"
        self._log = folder / "llama.log"
        self.address = ""
        """`host:port`."""

    @property
    def url(self) -> str:
        return f"http://{self.address}/v1"

    def __enter__(self) -> Self:
        write_model(self._model)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(self._model)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("serving "):
                self.address = line.split()[1].removeprefix("http://")
                return self
        raise RuntimeError(f"llama.cpp did not start:\n{self._log.read_text(errors='replace')[-3000:]}")

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()


def _serve(model: str) -> None:
    import xllamacpp  # noqa: PLC0415 - only for the server process

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"noise"}
    params.n_ctx = _CONTEXT
    params.n_parallel = 2
    params.warmup = False
    params.cpuparams.n_threads = 1
    params.chat_template = _TEMPLATE
    server = xllamacpp.Server(params)
    print("serving", server.listening_address, flush=True)
    sys.stdin.read()  # until the parent exits


if __name__ == "__main__":
    _serve(sys.argv[1])
