"""What the caller sees the activity of: the packages that own the rows decide who may read which."""

from teamspace import conversations, notes, repository, workflows
from teamspace.activity.schemas import ActivityKind
from teamspace.core.db import Fence
from teamspace.core.principal import Principal

_KIND_OF_OBJECT = f"CASE objects.content_type WHEN '{repository.MARKDOWN}' THEN 'document' ELSE 'file' END"


def readable_kinds(who: Principal) -> tuple[ActivityKind, ...]:
    return (
        _note(notes.read_fence(who, across_org=True)),
        _object(repository.read_fence(who, across_org=True)),
        _conversation(conversations.read_fence(who, across_org=True)),
        ActivityKind(
            "run", workflows.run_fence(who), "'run'", "runs.slug", "runs.state", "runs.finished_at IS NOT NULL"
        ),
    )


def shared_kinds(who: Principal) -> tuple[ActivityKind, ...]:
    """Return what others can share with the caller, with the fences of what they do share."""
    return (
        _note(notes.shared_fence(who)), _object(repository.shared_fence(who)),
        _conversation(conversations.shared_fence(who)),
    )  # fmt: skip


def _note(fence: Fence) -> ActivityKind:
    return ActivityKind("note", fence, "'note'", "notes.title")


def _object(fence: Fence) -> ActivityKind:
    return ActivityKind("object", fence, _KIND_OF_OBJECT, repository.SHOWN_TITLE)


def _conversation(fence: Fence) -> ActivityKind:
    return ActivityKind("conversation", fence, "'conversation'", "conversations.title")
