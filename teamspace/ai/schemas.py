"""Data types of routes that use models. A request to a model and its answer are in `completions`."""

from typing import Annotated

import msgspec


class Echo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]
