"""What the caller can star and open: the packages that own the rows decide who may read which."""

from teamspace import conversations, notes, repository, workflows
from teamspace.core.principal import Principal
from teamspace.favourites.schemas import ShortcutKind

_DOCUMENT_TITLE = "COALESCE(objects.title, objects.filename)"


def readable_kinds(who: Principal) -> tuple[ShortcutKind, ...]:
    objects = repository.read_fence(who, across_org=True)
    return (
        ShortcutKind("note", notes.read_fence(who, across_org=True), "notes.id", "notes.title"),
        ShortcutKind("document", objects, "objects.id", _DOCUMENT_TITLE),
        ShortcutKind("file", objects, "objects.id", "objects.filename"),
        ShortcutKind(
            "conversation",
            conversations.read_fence(who, across_org=True),
            "conversations.id",
            "conversations.title",
        ),
        ShortcutKind("workflow", workflows.read_fence(who), "workflows.slug", "workflows.slug"),
    )
