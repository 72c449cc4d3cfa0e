"""Channels: which workers can claim a job. A string, so that a claim is one index scan."""


def local_channel(kind: str) -> str:
    """For the server itself."""
    return f"{kind}@local"


def any_channel(kind: str) -> str:
    """For the first free worker."""
    return f"{kind}@any"


def push_channel(kind: str) -> str:
    """For any model server that this server calls."""
    return f"{kind}@push"


def model_channel(kind: str, model: str) -> str:
    """For workers that have this model."""
    return f"{kind}@model:{model}"


def executor_channel(kind: str, executor_id: str) -> str:
    """For this executor only."""
    return f"{kind}@on:{executor_id}"


def kind_of(channel: str) -> str:
    return channel.partition("@")[0]


def served_by(channel: str) -> tuple[str, str]:
    """Return who serves the channel: `local`, `any`, `push`, `model` or `on`, and the model or the executor's id."""
    how, _, which = channel.partition("@")[2].partition(":")
    return how, which
