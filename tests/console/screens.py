"""The console's screens and actions, with the permission that each needs."""

from typing import NamedTuple


class Screen(NamedTuple):
    path: str
    title: str
    group: str = ""
    """The sidebar, its foot, or a scope of the settings; empty if the screen is reached from another."""
    needs: str = ""
    keys: str = ""
    of: str = "note"
    """The kind of item in the path."""

    def address(self, id: str) -> str:
        """The path with an item's id; the company is always `polar`, the workflow `harbour-digest`, the language `es`."""
        named = self.path.replace("$ref", "polar").replace("$slug", "harbour-digest").replace("$locale", "es")
        return named.replace("$id", id)

    @property
    def area(self) -> str:
        """The hint beside its title in the command palette."""
        return "Workspace" if self.group in ("Main", "Foot") else f"Settings · {self.group}"


class Action(NamedTuple):
    title: str
    needs: str = ""
    keys: str = ""


# fmt: off
SCREENS = (
    Screen("/",                                  "Home",         "Main",     "",                "g h"),
    Screen("/search",                            "Search",       "Main",     "search"),
    Screen("/notes",                             "Notes",        "Main",     "",                "g n"),
    Screen("/notes/$id",                         "Notes"),
    Screen("/documents",                         "Documents",    "Main",     "",                "g d"),
    Screen("/documents/$id",                     "Documents",    of="document"),
    Screen("/files",                             "Files",        "Main",     "",                "g f"),
    Screen("/files/$id",                         "Files",        of="file"),
    Screen("/chat",                              "Chat",         "Main",     "chat:use",        "g c"),
    Screen("/chat/$id",                          "Chat",         of="conversation"),
    Screen("/translate",                         "Translate",    "Main",     "chat:use",        "g t"),
    Screen("/workflows",                         "Workflows",    "Main",     "workflows:read",  "g w"),
    Screen("/workflows/new",                     "New workflow", "",         "workflows:write"),
    Screen("/workflows/spec/$slug",              "Workflows",    "",         "workflows:read"),
    Screen("/workflows/spec/$slug/edit",         "Workflows",    "",         "workflows:write"),
    Screen("/workflows/spec/$slug/run",          "Workflows",    "",         "workflows:run"),
    Screen("/workflows/runs",                    "Runs",         "",         "workflows:read"),
    Screen("/workflows/runs/$id",                "Runs",         "",         "workflows:read",  of="run"),
    Screen("/workflows/triggers",                "Triggers",     "",         "workflows:read"),
    Screen("/workflows/triggers/$id",            "Triggers",     "",         "workflows:read",  of="trigger"),
    Screen("/graph",                             "Graph",        "Main",     "",                "g g"),
    Screen("/graph/$id",                         "Graph",        of="entity"),
    Screen("/trash",                             "Trash",        "Foot",     "",                "g x"),
    Screen("/settings",                          "Settings",     "Foot",     "",                "g s"),
    Screen("/settings/team/people",              "People",       "Team",     "",                "g p"),
    Screen("/settings/team/usage",               "Usage",        "Team",     "",                "g u"),
    Screen("/settings/team/connect",             "Connect",      "Team",     "",                "g k"),
    Screen("/settings/team/tokens",              "API tokens",   "Team",     "settings:manage"),
    Screen("/settings/team/tools",               "Tools",        "Team"),
    Screen("/settings/team/features",            "Features",     "Team",     "settings:manage"),
    Screen("/settings/team/models",              "Model roles",  "Team"),
    Screen("/settings/team/glossary",            "Glossary",     "Team",     "chat:use"),
    Screen("/settings/team/links",               "Public links", "Team",     "settings:manage"),
    Screen("/settings/team/audit",               "Audit log",    "Team",     "settings:manage"),
    Screen("/settings/team/jobs",                "Jobs",         "Team",     "",                "g j"),
    Screen("/settings/team/jobs/$id",            "Jobs",         of="job"),
    Screen("/settings/company/teams",            "Teams",        "Company",  "org:read"),
    Screen("/settings/company/people",           "People",       "Company",  "org:read"),
    Screen("/settings/company/branding",         "Branding",     "Company",  "org:read"),
    Screen("/settings/company/executors",        "Executors",    "Company",  "org:manage"),
    Screen("/settings/company/sign-up",          "Sign-up",      "Company",  "settings:manage"),
    Screen("/settings/company/sign-up/page",     "Sign-up page", "",         "settings:manage"),
    Screen("/settings/company/links",            "Public links", "Company",  "org:manage"),
    Screen("/settings/company/quotas",           "Quotas",       "Company",  "org:read"),
    Screen("/settings/company/audit",            "Audit log",    "Company",  "org:read"),
    Screen("/settings/instance/status",          "Status",       "Instance", "instance:manage"),
    Screen("/settings/instance/companies",       "Companies",    "Instance", "instance:manage"),
    Screen("/settings/instance/companies/$ref",  "Company",      "",         "instance:manage"),
    Screen("/settings/instance/branding",        "Branding",     "Instance", "instance:manage"),
    Screen("/settings/instance/languages",       "Languages",    "Instance", "localization:read", "g l"),
    Screen("/settings/instance/languages/$locale", "Texts",      "",         "localization:read"),
    Screen("/settings/instance/languages/$locale/review", "Review", "",      "localization:review"),
    Screen("/settings/instance/executors",       "Executors",    "Instance", "instance:manage"),
    Screen("/settings/instance/plugins",         "Plugins",      "Instance"),
    Screen("/settings/instance/plugins/$id",     "Plugins",      of="plugin"),
    Screen("/settings/instance/sandboxed",       "Sandboxed plugins", "Instance"),
    Screen("/settings/instance/mcp",             "MCP servers",  "Instance"),
    Screen("/plugins/$id",                       "Plugin",       of="plugin"),
    Screen("/settings/instance/metrics",         "Metrics",      "Instance", "instance:manage"),
    Screen("/settings/me/account",               "Your account", "Me"),
)
ACTIONS = (
    Action("Search everything",             "search",          "/"),
    Action("New note",                      "notes:write",     "c"),
    Action("New document",                  "files:write"),
    Action("New chat",                      "chat:use"),
    Action("New workflow",                  "workflows:write"),
    Action("Extract entities",              "workflows:run"),
    Action("Ask a model",                   "chat:use"),
    Action("Test the quota",                "chat:use"),
    Action("New executor",                  "instance:manage"),
    Action("Invite person",                 "members:manage"),
    Action("New S3 key"),
    Action("New token",                     "settings:manage"),
    Action("Switch between light and dark"),
    Action("Sign out"),
    Action("Fold sidebar",                  keys="["),
    Action("New team",                      "org:manage"),
    Action("Add person to company",         "org:manage"),
    Action("New company",                   "instance:manage"),
)
# fmt: on
