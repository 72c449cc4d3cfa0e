"""All permissions and features, as enums, so that the type checker finds misspelt ones.

A permission is named `subject:verb`. The permissions of each role are in `tenancy`.
"""

from enum import StrEnum

import msgspec


class Permission(StrEnum):
    INSTANCE_MANAGE = "instance:manage"
    LOCALIZATION_READ = "localization:read"
    LOCALIZATION_MANAGE = "localization:manage"
    LOCALIZATION_TRANSLATE = "localization:translate"
    LOCALIZATION_REVIEW = "localization:review"
    MEMBERS_MANAGE = "members:manage"
    ORG_READ = "org:read"
    ORG_MANAGE = "org:manage"
    NOTES_READ = "notes:read"
    NOTES_WRITE = "notes:write"
    NOTES_DELETE = "notes:delete"
    NOTES_MANAGE = "notes:manage"
    FILES_READ = "files:read"
    FILES_WRITE = "files:write"
    FILES_DELETE = "files:delete"
    FILES_MANAGE = "files:manage"
    CHAT_USE = "chat:use"
    SETTINGS_MANAGE = "settings:manage"
    JOBS_EXECUTE = "jobs:execute"
    SEARCH = "search"
    WORKFLOWS_READ = "workflows:read"
    WORKFLOWS_WRITE = "workflows:write"
    WORKFLOWS_RUN = "workflows:run"


class Feature(StrEnum):
    CHAT = "chat"
    AGENT = "agent"
    TRANSLATE = "translate"
    WORKFLOWS = "workflows"


class Row(msgspec.Struct, frozen=True):
    """Ownership or a grant may allow access: the gate checks the token's scope, and the fence decides."""

    permission: Permission
