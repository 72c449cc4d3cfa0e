"""Workflows: specs that run as durable jobs, step by step."""

from teamspace.workflows.access import RUN, SUBJECTS, read_fence
from teamspace.workflows.access import full_fence as run_fence
from teamspace.workflows.domain.actions import run as run_workflow
from teamspace.workflows.domain.catalog import PluginWorkflow
from teamspace.workflows.domain.catalog import WorkflowCatalog as Catalog
from teamspace.workflows.domain.definitions import Definition, check, get_definition
from teamspace.workflows.domain.language.specs import ToolShape, WorkflowSpec
from teamspace.workflows.domain.offering import OfferedWorkflows
from teamspace.workflows.domain.shapes import shape_of
from teamspace.workflows.domain.starting import PreparedRun, RunOrder, count_jobs, locale_of, prepare, start, start_many
from teamspace.workflows.domain.sweeping import RunSweeper
from teamspace.workflows.schemas import RunBody, RunDetail, RunOutline
from teamspace.workflows.store import INVARIANTS, TITLE

__all__ = [
    "INVARIANTS",
    "RUN",
    "SUBJECTS",
    "TITLE",
    "Catalog",
    "Definition",
    "OfferedWorkflows",
    "PluginWorkflow",
    "PreparedRun",
    "RunBody",
    "RunDetail",
    "RunOrder",
    "RunOutline",
    "RunSweeper",
    "ToolShape",
    "WorkflowSpec",
    "check",
    "count_jobs",
    "get_definition",
    "locale_of",
    "prepare",
    "read_fence",
    "run_fence",
    "run_workflow",
    "shape_of",
    "start",
    "start_many",
]
