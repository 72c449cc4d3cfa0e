"""The code of the guides runs as it is written there, and prints what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

from teamspace.client import Client

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
_BLOCK = re.compile(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """Return each program, and what it prints."""
    return _BLOCK.findall((GUIDES / page).read_text())


def environment(client: Client, token: str | None = None) -> dict[str, str]:
    return {**os.environ, "TEAMSPACE_URL": client.options.url, "TEAMSPACE_TOKEN": token or client.options.token}


def run(program: str, folder: Path, env: dict[str, str]) -> str:
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_client_does_what_its_guide_says(ann: Client, tmp_path: Path) -> None:
    programs = blocks("python-client.md")
    assert len(programs) == 9
    printed = run("\n".join(code for code, _ in programs), tmp_path, environment(ann))
    assert printed == "".join(output for _, output in programs)


def test_the_worker_of_the_guide_works(ann: Client, tmp_path: Path) -> None:
    (operator, _), (worker, _), (person, expected) = blocks("write-a-worker.md")
    token = run(operator, tmp_path, environment(ann)).strip()
    with subprocess.Popen([sys.executable, "-c", worker], env=environment(ann, token)) as process:
        try:
            assert run(person, tmp_path, environment(ann)) == expected
            failed = run(
                person.replace("hamburg-oslo", "oslo-rome").replace("result", "error"), tmp_path, environment(ann)
            )
            assert failed.startswith("failed") and "There are no figures for this lane." in failed
        finally:
            process.terminate()
        assert process.wait(20) == 0
