"""Which uploads a trigger is about: by the beginning of the key and by content type."""

import re

from teamspace.core.errors import BadRequest
from teamspace.triggers.schemas import FireReason, TriggerPattern, Unfired

_TOKEN = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"
_PATTERN = re.compile(rf"{_TOKEN}/({_TOKEN}|\*)|\*/\*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def clean_types(types: list[str]) -> list[str]:
    """Return the patterns in lower case, each once; raise BadRequest naming one that is none."""
    cleaned = [kind.strip().lower() for kind in types]
    for index, kind in enumerate(cleaned):
        if not _PATTERN.fullmatch(kind):
            raise BadRequest.at(f"/match_types/{index}", "triggers.type")
    return list(dict.fromkeys(cleaned))


def check_prefix(prefix: str) -> str:
    """Return the prefix unchanged, as keys are; raise BadRequest if no key can begin with it."""
    if _CONTROL.search(prefix):
        raise BadRequest.at("/match_prefix", "repository.key_control")
    return prefix


def find_mismatch(trigger: TriggerPattern, key: str, content_type: str) -> Unfired | None:
    """Return why an upload is none that the trigger is about."""
    if not key.startswith(trigger.match_prefix):
        return Unfired.because(FireReason.PREFIX_MISMATCH, "triggers.prefix_mismatch", prefix=trigger.match_prefix)
    if trigger.match_types and not any(_covers(pattern, content_type) for pattern in trigger.match_types):
        return Unfired.because(
            FireReason.TYPE_MISMATCH, "triggers.type_mismatch", type=content_type, types=", ".join(trigger.match_types)
        )
    return None


def _covers(pattern: str, content_type: str) -> bool:
    if pattern == "*/*":
        return True
    return content_type.startswith(pattern[:-1]) if pattern.endswith("/*") else content_type == pattern
