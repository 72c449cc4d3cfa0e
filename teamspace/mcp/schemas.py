"""JSON-RPC messages of the Model Context Protocol."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

RpcId = int | Annotated[str, Meta(max_length=200)]


class RpcMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request, or a notification if it has no id."""

    jsonrpc: Literal["2.0"]
    method: Annotated[str, Meta(max_length=200)]
    id: RpcId | UnsetType = UNSET
    params: dict[str, Any] = {}


class RpcError(msgspec.Struct, frozen=True, omit_defaults=True):
    code: int
    message: str
    data: dict[str, Any] | None = None


class RpcResult(msgspec.Struct, frozen=True):
    jsonrpc: str
    id: RpcId
    result: dict[str, Any]


class RpcFault(msgspec.Struct, frozen=True):
    jsonrpc: str
    id: RpcId
    error: RpcError
