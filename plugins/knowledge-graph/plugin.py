"""The workflow that fills the knowledge graph, up to 40 documents in each run."""

from teamspace.sdk import Workflow

WORKFLOWS = (
    Workflow(
        {
            "format": 1,
            "slug": "index-knowledge",
            "version": 1,
            "title": "Index knowledge",
            "description": "Extracts the entities and relations of documents that were not extracted yet.",
            "start": "find",
            "max_steps": 50,
            "inputs": {},
            "steps": [
                {"id": "find", "kind": "tool", "tool": "kg_list_unextracted", "with": {}},
                {
                    "id": "extract",
                    "kind": "map",
                    "over": {"$ref": "steps.find.output.result"},
                    "tool": "kg_extract",
                    "with": {"object": {"$ref": "item"}},
                    "end": True,
                },
            ],
        }
    ),
)
