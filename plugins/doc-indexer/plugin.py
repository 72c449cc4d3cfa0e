"""A workflow that indexes documents. Its tools, `repo_list_unindexed` and `repo_extract_text`, are built in."""

import json
from pathlib import Path

from teamspace.sdk import Workflow

WORKFLOWS = (Workflow(json.loads((Path(__file__).parent / "index-documents.json").read_text())),)
