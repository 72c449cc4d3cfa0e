"""A workflow that processes an uploaded document. Its tools, all named `doc_`, are built in."""

import json
from pathlib import Path

from teamspace.sdk import Workflow

WORKFLOWS = (Workflow(json.loads((Path(__file__).parent / "process-upload.json").read_text())),)
