"""All that a plugin may import of Teamspace.

A plugin's entry module has some of these tables, each a tuple of rows:

    TOOLS        Tool            functions that models and workflows call
    ROUTES       PluginRoute     HTTP routes below /api/x/<plugin>/
    JOBS         JobSpec         kinds of jobs, named x.<plugin>.<name>
    WORKFLOWS    Workflow        workflows that every team has
    BLOB_STORES  BlobStoreSpec   places for files, selected by SERVICE_BLOB_STORE
    ONBOARDING   OnboardingExperience   what the sign-up page asks before a team publishes its own

Rows name their functions, which are in the same module. `teamspace.sdk.testing` runs a server for a plugin's own tests.
"""

from teamspace.ai import Gateway
from teamspace.blobs import FolderStore, LargeBlobStore, PlainBlobStore
from teamspace.completions import estimate_tokens
from teamspace.core.db import Db, Tx
from teamspace.core.errors import UserError
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import BlobStoreSpec, JobSpec, OnboardingExperience, Tool, Workflow
from teamspace.jobs import JobContext
from teamspace.pipeline import chat, translate
from teamspace.plugins import PluginRequest, PluginRoute
from teamspace.quota import Spend
from teamspace.settings import Settings
from teamspace.tools import Artifact, Toolbox, ToolContext

__all__ = [
    "Artifact",
    "BlobStoreSpec",
    "Db",
    "Feature",
    "FolderStore",
    "Gateway",
    "JobContext",
    "JobSpec",
    "LargeBlobStore",
    "OnboardingExperience",
    "Permission",
    "PlainBlobStore",
    "PluginRequest",
    "PluginRoute",
    "Principal",
    "Settings",
    "Spend",
    "Tool",
    "ToolContext",
    "Toolbox",
    "Tx",
    "UserError",
    "Workflow",
    "chat",
    "estimate_tokens",
    "translate",
]
