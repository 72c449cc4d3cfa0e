"""Every route in match order, with the package that owns it.

The package's own ROUTES table describes the route; this table only orders them. The server refuses to
start if the two do not match.
"""

from types import ModuleType

import teamspace.ai.routes
import teamspace.audit.routes
import teamspace.branding.routes
import teamspace.console.routes
import teamspace.documents.routes
import teamspace.events.routes
import teamspace.executors.routes
import teamspace.identity.routes
import teamspace.instance.routes
import teamspace.jobs.routes
import teamspace.localization.routes
import teamspace.notes.routes
import teamspace.quota.routes
import teamspace.repository.routes
import teamspace.s3.routes
import teamspace.search.routes
import teamspace.tenancy.routes

MODULES: dict[str, ModuleType] = {
    "ai": teamspace.ai.routes,
    "audit": teamspace.audit.routes,
    "branding": teamspace.branding.routes,
    "console": teamspace.console.routes,
    "documents": teamspace.documents.routes,
    "events": teamspace.events.routes,
    "executors": teamspace.executors.routes,
    "identity": teamspace.identity.routes,
    "instance": teamspace.instance.routes,
    "jobs": teamspace.jobs.routes,
    "localization": teamspace.localization.routes,
    "notes": teamspace.notes.routes,
    "quota": teamspace.quota.routes,
    "repository": teamspace.repository.routes,
    "s3": teamspace.s3.routes,
    "search": teamspace.search.routes,
    "tenancy": teamspace.tenancy.routes,
}

# fmt: off
ORDER = (
    ("GET    /",                           "console"),
    ("GET    /index.html",                 "console"),
    ("GET    /login",                      "console"),
    ("GET    /activate",                   "console"),
    ("GET    /health",                     "instance"),
    ("GET    /api/config",                 "instance"),
    ("GET    /api/branding",               "branding"),
    ("PUT    /api/branding",               "branding"),
    ("POST   /api/branding/logo",          "branding"),
    ("GET    /api/i18n/catalog",           "localization"),
    ("POST   /api/bootstrap",              "tenancy"),
    ("POST   /api/provision",              "tenancy"),
    ("POST   /api/activate",               "tenancy"),
    ("POST   /api/instance/suspend",       "tenancy"),
    ("POST   /api/instance/resume",        "tenancy"),
    ("POST   /api/instance/quota",         "tenancy"),
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
    ("GET    /api/admin/status",           "instance"),
    ("POST   /api/orgs",                   "tenancy"),
    ("GET    /api/orgs",                   "tenancy"),
    ("POST   /api/orgs/:ref/suspend",      "tenancy"),
    ("POST   /api/orgs/:ref/resume",       "tenancy"),
    ("POST   /api/orgs/:ref/quota",        "tenancy"),
    ("GET    /api/orgs/:ref",              "tenancy"),
    ("PATCH  /api/orgs/:ref",              "tenancy"),
    ("POST   /api/admin/seed-tenants",     "instance"),
    ("GET    /api/org",                    "tenancy"),
    ("GET    /api/org/teams",              "tenancy"),
    ("POST   /api/org/teams",              "tenancy"),
    ("POST   /api/org/members",            "tenancy"),
    ("PATCH  /api/org/members/:id",        "tenancy"),
    ("GET    /api/org/audit",              "audit"),
    ("GET    /api/org/branding",           "branding"),
    ("PUT    /api/org/branding",           "branding"),
    ("DELETE /api/org/branding",           "branding"),
    ("POST   /api/org/branding/logo",      "branding"),
    ("POST   /api/org/executors",          "executors"),
    ("POST   /api/notes",                  "notes"),
    ("GET    /api/notes",                  "notes"),
    ("GET    /api/notes/:id",              "notes"),
    ("PUT    /api/notes/:id",              "notes"),
    ("DELETE /api/notes/:id",              "notes"),
    ("POST   /api/notes/:id/share",        "notes"),
    ("POST   /api/documents",              "documents"),
    ("GET    /api/documents",              "documents"),
    ("GET    /api/documents/:id",          "documents"),
    ("PUT    /api/documents/:id",          "documents"),
    ("DELETE /api/documents/:id",          "documents"),
    ("POST   /api/ai/echo",                "ai"),
    ("GET    /api/executors",              "executors"),
    ("POST   /api/executors",              "executors"),
    ("DELETE /api/executors/:id",          "executors"),
    ("POST   /api/workers/claim",          "executors"),
    ("POST   /api/workers/jobs/:id/heartbeat", "executors"),
    ("POST   /api/workers/jobs/:id/complete", "executors"),
    ("POST   /api/workers/jobs/:id/fail",  "executors"),
    ("GET    /api/usage",                  "quota"),
    ("POST   /api/quota",                  "quota"),
    ("POST   /api/tokens",                 "identity"),
    ("GET    /api/tokens",                 "identity"),
    ("DELETE /api/tokens/:id",             "identity"),
    ("GET    /api/audit",                  "audit"),
    ("GET    /api/search",                 "search"),
    ("GET    /api/metrics",                "instance"),
    ("GET    /api/features",               "tenancy"),
    ("POST   /api/features/:name",         "tenancy"),
    ("POST   /api/admin/seed",             "instance"),
    ("POST   /api/jobs",                   "jobs"),
    ("GET    /api/jobs",                   "jobs"),
    ("POST   /api/jobs/:id/cancel",        "jobs"),
    ("GET    /api/jobs/:id",               "jobs"),
    ("GET    /api/repo",                   "repository"),
    ("PUT    /api/repo/*key",              "repository"),
    ("GET    /api/repo-obj/:id",           "repository"),
    ("DELETE /api/repo-obj/:id",           "repository"),
    ("GET    /api/repo-obj/:id/content",   "repository"),
    ("POST   /api/repo-obj/:id/presign",   "s3"),
    ("POST   /api/repo-obj/:id/share",     "repository"),
    ("POST   /api/repo-obj/:id/unshare",   "repository"),
    ("GET    /api/repo-obj/:id/grants",    "repository"),
    ("POST   /api/repo-obj/:id/visibility", "repository"),
    ("GET    /api/repo-obj/:id/derivations", "repository"),
    ("GET    /api/repo-obj/:id/processing", "repository"),
    ("GET    /api/share-targets",          "repository"),
    ("GET    /api/s3/credentials",         "s3"),
    ("POST   /api/s3/credentials",         "s3"),
    ("DELETE /api/s3/credentials/:id",     "s3"),

    # Beyond the core interface.
    ("GET    /api/openapi.json",           "instance"),
    ("GET    /api/docs",                   "instance"),
    ("POST   /api/logout",                 "identity"),
    ("GET    /api/sessions",               "identity"),
    ("DELETE /api/sessions/:id",           "identity"),
    ("PATCH  /api/members/:id",            "tenancy"),
    ("DELETE /api/members/:id",            "tenancy"),
    ("GET    /ready",                      "instance"),
    ("POST   /api/members/:id/transfer",   "tenancy"),
    ("GET    /api/contacts",               "tenancy"),
    ("PATCH  /api/admin/users/:id",        "identity"),
    ("GET    /api/events",                 "events"),
    ("GET    /app/*page",                  "console"),
    ("GET    /assets/*path",               "console"),
)
# fmt: on
