"""Places: which workers may take a job. A name, so that a claim is a walk along an index."""


def local_place(kind: str) -> str:
    """In the server itself."""
    return f"{kind}@local"


def any_place(kind: str) -> str:
    """With whatever worker comes first."""
    return f"{kind}@any"


def model_place(kind: str, model: str) -> str:
    """With a worker that has this model."""
    return f"{kind}@model:{model}"


def executor_place(kind: str, executor_id: str) -> str:
    """With this executor and no other."""
    return f"{kind}@on:{executor_id}"


def kind_of(place: str) -> str:
    return place.partition("@")[0]
