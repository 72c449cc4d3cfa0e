"""Give Weblate a project with the messages of a file, and print what is needed to ask for them.

Weblate imports the first messages from files in a repository, as it always does, with checks and its history. That takes
tens of milliseconds a message, so the others are inserted as rows of the same shape. Runs in Weblate's environment.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test.utils import override_settings  # noqa: E402
from weblate.auth.models import User  # noqa: E402
from weblate.trans.models import Component, Project, Translation, Unit  # noqa: E402
from weblate.utils.hash import calculate_hash  # noqa: E402
from weblate.utils.state import STATE_EMPTY, STATE_TRANSLATED  # noqa: E402

IMPORTED = 100
_BATCH = 5_000

Rows = list[tuple[str, str, str]]
"""Key, source and text of each message."""


def imported(name: str, folder: Path, rows: Rows, language: str) -> Any:
    """Return a component of files with the rows."""
    folder.mkdir()
    for code, column in (("en", 1), (language, 2)):
        (folder / f"{code}.json").write_text(json.dumps({row[0]: row[column] for row in rows}, indent=2))
    for words in ("init -q -b main", "add .", "-c user.name=b -c user.email=b@example.com commit -q -m messages"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    with override_settings(CELERY_TASK_ALWAYS_EAGER=True):
        project = Project.objects.create(name=name, slug=name, web="https://example.com/", contribute_shared_tm=False)
        return Component.objects.create(
            name="messages", slug="messages", project=project, vcs="git", repo=str(folder), branch="main",
            filemask="*.json", template="en.json", file_format="json", license="MIT",
        )  # fmt: skip


def insert(component: Any, rows: Rows, language: str) -> None:
    """Insert units: a source, and its translation, as the import makes them."""
    source = component.source_translation
    target = Translation.objects.get(component=component, language__code=language)
    for first in range(0, len(rows), _BATCH):
        some = list(enumerate(rows[first : first + _BATCH], IMPORTED + first + 1))
        made = Unit.objects.bulk_create(_unit(source, row, position, row[1]) for position, row in some)
        Unit.objects.bulk_create(
            _unit(target, row, position, row[2], source_unit=each)
            for (position, row), each in zip(some, made, strict=True)
        )
    with connection.cursor() as cursor:
        cursor.execute("UPDATE trans_unit SET source_unit_id = id WHERE translation_id = %s", [source.pk])
    component.invalidate_cache()


def _unit(translation: Any, row: tuple[str, str, str], position: int, text: str, **more: Any) -> Any:
    key, source, _ = row
    state = STATE_TRANSLATED if text else STATE_EMPTY
    return Unit(
        translation=translation, id_hash=calculate_hash(key), context=key, source=source, target=text, state=state,
        original_state=state, position=position, num_words=len(source.split()), **more,
    )  # fmt: skip


def main(name: str, file: Path, language: str) -> None:
    rows: Rows = json.loads(file.read_text())
    began = time.perf_counter()
    component = imported(name, file.with_suffix(""), rows[:IMPORTED], language)
    after = time.perf_counter()
    insert(component, rows[IMPORTED:], language)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) trans_unit")
    units = Unit.objects.filter(translation__component=component, translation__language__code=language)
    user, _ = User.objects.get_or_create(username="reader", email="reader@example.com", is_superuser=True)
    found = {
        "units": list(units.order_by("id").values_list("id", flat=True)),
        "token": user.auth_token.key,
        "imported": min(IMPORTED, len(rows)),
        "import_seconds": round(after - began, 1),
        "seconds": round(time.perf_counter() - began, 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
