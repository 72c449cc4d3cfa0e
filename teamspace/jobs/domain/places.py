"""Places: which workers may take a job. A name, so that a claim is a walk along an index."""


def local_place(kind: str) -> str:
    """In the server itself."""
    return f"{kind}@local"


def any_place(kind: str) -> str:
    """With whatever worker comes first."""
    return f"{kind}@any"


def push_place(kind: str) -> str:
    """With whatever model server this one calls."""
    return f"{kind}@push"


def model_place(kind: str, model: str) -> str:
    """With a worker that has this model."""
    return f"{kind}@model:{model}"


def executor_place(kind: str, executor_id: str) -> str:
    """With this executor and no other."""
    return f"{kind}@on:{executor_id}"


def kind_of(place: str) -> str:
    return place.partition("@")[0]


def served_by(place: str) -> tuple[str, str]:
    """What its workers have in common: `local`, `any`, `push`, `model` or `on`, and of the last two which."""
    how, _, which = place.partition("@")[2].partition(":")
    return how, which
