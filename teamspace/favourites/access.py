"""What the caller can star and open: the packages that own the rows decide who may read which."""

from teamspace import conversations, notes, repository, workflows
from teamspace.core.principal import Principal
from teamspace.favourites.schemas import ShortcutKind


def readable_kinds(who: Principal) -> tuple[ShortcutKind, ...]:
    objects = repository.read_fence(who, across_org=True)
    return (
        ShortcutKind("note", notes.read_fence(who, across_org=True), "notes.id", "notes.title"),
        ShortcutKind("document", objects, "objects.id", repository.SHOWN_TITLE),
        ShortcutKind("file", objects, "objects.id", repository.SHOWN_TITLE),
        ShortcutKind(
            "conversation",
            conversations.read_fence(who, across_org=True),
            "conversations.id",
            "conversations.title",
        ),
        ShortcutKind("workflow", workflows.read_fence(who), "workflows.slug", workflows.TITLE),
    )
