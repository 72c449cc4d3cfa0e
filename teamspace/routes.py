"""Every route the server answers, in the order in which they are matched, with the capability that owns it.

A capability's own table says what a route asks and does; this one says where it stands. The boot
check refuses to start when the two disagree.
"""

from types import ModuleType

import teamspace.console.routes
import teamspace.identity.routes
import teamspace.instance.routes
import teamspace.notes.routes
import teamspace.tenancy.routes

MODULES: dict[str, ModuleType] = {
    "console": teamspace.console.routes,
    "identity": teamspace.identity.routes,
    "instance": teamspace.instance.routes,
    "notes": teamspace.notes.routes,
    "tenancy": teamspace.tenancy.routes,
}

# fmt: off
ORDER = (
    ("GET    /",                           "console"),
    ("GET    /health",                     "instance"),
    ("GET    /api/config",                 "instance"),
    ("POST   /api/bootstrap",              "tenancy"),
    ("POST   /api/login",                  "tenancy"),
    ("POST   /api/2fa/enable",             "identity"),
    ("POST   /api/2fa/recovery-codes",     "identity"),
    ("GET    /api/2fa/recovery-codes",     "identity"),
    ("DELETE /api/2fa",                    "identity"),
    ("DELETE /api/admin/users/:id/2fa",    "identity"),
    ("POST   /api/password",               "identity"),
    ("GET    /api/whoami",                 "tenancy"),
    ("POST   /api/profile",                "tenancy"),
    ("POST   /api/members",                "tenancy"),
    ("GET    /api/members",                "tenancy"),
    ("POST   /api/notes",                  "notes"),
    ("GET    /api/notes",                  "notes"),
    ("GET    /api/notes/:id",              "notes"),
    ("PUT    /api/notes/:id",              "notes"),
    ("DELETE /api/notes/:id",              "notes"),
    ("POST   /api/notes/:id/share",        "notes"),
    ("POST   /api/tokens",                 "identity"),
    ("GET    /api/tokens",                 "identity"),
    ("DELETE /api/tokens/:id",             "identity"),

    # Beyond the core interface.
    ("GET    /api/openapi.json",           "instance"),
    ("GET    /api/docs",                   "instance"),
    ("POST   /api/logout",                 "identity"),
    ("GET    /api/sessions",               "identity"),
    ("DELETE /api/sessions/:id",           "identity"),
    ("PATCH  /api/members/:id",            "tenancy"),
    ("DELETE /api/members/:id",            "tenancy"),
)
# fmt: on
