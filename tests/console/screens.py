"""The console's screens and actions, written down a second time, with what the contract asks for each."""

from typing import NamedTuple


class Screen(NamedTuple):
    path: str
    title: str
    group: str = ""
    """Where rail and palette show it; a screen without one is reached from another."""
    needs: str = ""
    keys: str = ""
    of: str = "note"
    """Of what kind the one is that it shows, where it shows one."""

    def address(self, one: str) -> str:
        """Where one of its kind is: that one, or the company that is always there."""
        return self.path.replace("$id", one).replace("$ref", "polar")


class Action(NamedTuple):
    title: str
    needs: str = ""
    keys: str = ""


# fmt: off
SCREENS = (
    Screen("/",                         "Home",         "Work",     "",                "g h"),
    Screen("/search",                   "Search",       "",         "search"),
    Screen("/notes",                    "Notes",        "Work",     "",                "g n"),
    Screen("/notes/$id",                "Notes"),
    Screen("/documents",                "Documents",    "Work",     "",                "g d"),
    Screen("/documents/$id",            "Documents",    of="document"),
    Screen("/documents/$id/versions",   "Documents",    of="document"),
    Screen("/files",                    "Files",        "Work",     "",                "g f"),
    Screen("/files/$id",                "Files",        of="file"),
    Screen("/jobs",                     "Jobs",         "Work",     "",                "g j"),
    Screen("/jobs/$id",                 "Jobs"),
    Screen("/members",                  "People",       "Team",     "",                "g p"),
    Screen("/usage",                    "Usage",        "Team",     "",                "g u"),
    Screen("/connect",                  "Connect",      "Team",     "",                "g k"),
    Screen("/tokens",                   "API tokens",   "Team",     "settings:manage"),
    Screen("/settings",                 "Features",     "Team",     "settings:manage"),
    Screen("/audit",                    "Audit trail",  "Team",     "settings:manage"),
    Screen("/account",                  "Your account", "Me"),
    Screen("/company",                  "Teams",        "Company",  "org:read"),
    Screen("/company/people",           "People",       "Company",  "org:read"),
    Screen("/company/branding",         "Branding",     "Company",  "org:read"),
    Screen("/company/executors",        "Executors",    "Company",  "org:manage"),
    Screen("/company/quotas",           "Quotas",       "Company",  "org:read"),
    Screen("/company/audit",            "Audit trail",  "Company",  "org:read"),
    Screen("/instance/status",          "Status",       "Instance", "instance:manage"),
    Screen("/instance/companies",       "Companies",    "Instance", "instance:manage"),
    Screen("/instance/companies/$ref",  "Company",      "",         "instance:manage"),
    Screen("/instance/branding",        "Branding",     "Instance", "instance:manage"),
    Screen("/instance/executors",       "Executors",    "Instance", "instance:manage"),
    Screen("/instance/metrics",         "Metrics",      "Instance", "instance:manage"),
)
ACTIONS = (
    Action("Search everything",             "search",          "/"),
    Action("New note",                      "notes:write",     "c"),
    Action("New document",                  "files:write"),
    Action("Try a model",                   "chat:use"),
    Action("Try the quota",                 "chat:use"),
    Action("New executor",                  "instance:manage"),
    Action("Invite somebody",               "members:manage"),
    Action("New S3 key"),
    Action("New token",                     "settings:manage"),
    Action("Switch between light and dark"),
    Action("Sign out"),
    Action("New team",                      "org:manage"),
    Action("Add somebody to the company",   "org:manage"),
    Action("New company",                   "instance:manage"),
)
# fmt: on
