"""What the caller sees the activity of: the packages that own the rows decide who may read which."""

from teamspace import conversations, notes, repository, workflows
from teamspace.activity.schemas import ActivityKind
from teamspace.core.principal import Principal


def readable_kinds(who: Principal) -> tuple[ActivityKind, ...]:
    return (
        ActivityKind("note", notes.read_fence(who, across_org=True), "'note'", "notes.title"),
        ActivityKind(
            "object",
            repository.read_fence(who, across_org=True),
            "CASE objects.content_type WHEN 'text/markdown' THEN 'document' ELSE 'file' END",
            repository.SHOWN_TITLE,
        ),
        ActivityKind(
            "conversation",
            conversations.read_fence(who, across_org=True),
            "'conversation'",
            "conversations.title",
        ),
        ActivityKind(
            "run", workflows.run_fence(who), "'run'", "runs.slug", "runs.state", "runs.finished_at IS NOT NULL"
        ),
    )
