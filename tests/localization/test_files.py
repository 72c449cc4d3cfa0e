"""The folder of catalog files: nothing outside of it is read or written, and no file is ever half written."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from teamspace.core.errors import BadRequest, Conflict, StorageFull
from teamspace.localization.domain import codec, files
from teamspace.localization.domain.files import LocaleFile

MARK = codec.Mark("0123456789abcdef", "human", at="2025-01-01T00:00:00.000Z")


def a_file(locale: str, text: str = "Hallo", count: int = 1) -> LocaleFile:
    keys = [f"key{number}" for number in range(count)]
    return LocaleFile(
        locale,
        codec.encode_catalog({"a": dict.fromkeys(keys, text)}),
        codec.encode_marks({f"a.{key}": MARK for key in keys}),
    )


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = files.write(tmp_path, a_file("pt-BR"))
    assert path == tmp_path / "locales" / "pt-BR.json"
    read = files.read(tmp_path, "pt-BR")
    assert read is not None
    assert read == a_file("pt-BR")
    content = files.decode(read)
    assert ([each.text for each in content.messages], content.marks) == (["Hallo"], {"a.key0": MARK})
    assert files.read(tmp_path, "de") is None
    assert {each.name for each in (tmp_path / "locales").iterdir()} == {"pt-BR.json", ".meta"}


def test_two_locales_never_share_a_file(tmp_path: Path) -> None:
    files.write(tmp_path, a_file("de"))
    before = {each: each.stat().st_mtime_ns for each in (tmp_path / "locales").rglob("de.json")}
    files.write(tmp_path, a_file("es"))
    assert {each: each.stat().st_mtime_ns for each in before} == before
    assert files.list_locales(tmp_path) == ["de", "es"]


@pytest.mark.parametrize(
    "locale", ["../x", "de/../../x", "", ".", "..", "de\0", "de.json", "/etc/passwd", "DE", "d" * 40, "de\n"]
)
def test_a_name_cannot_leave_the_folder(tmp_path: Path, locale: str) -> None:
    with pytest.raises(BadRequest):
        files.read(tmp_path, locale)
    with pytest.raises(BadRequest):
        files.write(tmp_path, LocaleFile(locale, b"{}", b"{}"))
    assert {each.name for each in tmp_path.iterdir()} <= {"locales.lock"}


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    files.write(tmp_path, a_file("de"))
    for name in ("package.json", "README.md", ".de.json.part", "x y.json"):
        (tmp_path / "locales" / name).write_text("not a catalog")
    assert files.list_locales(tmp_path) == ["de"]


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"a": {"x": "secret"}}')
    files.write(tmp_path, a_file("de"))
    (tmp_path / "locales" / "es.json").symlink_to(secret)
    with pytest.raises(BadRequest, match=r"es\.json cannot be read"):
        files.read(tmp_path, "es")
    files.write(tmp_path, a_file("es"))  # replaces the link, not what it names
    assert secret.read_text() == '{"a": {"x": "secret"}}'
    sidecar = tmp_path / "locales" / ".meta" / "de.json"
    sidecar.unlink()
    sidecar.symlink_to(secret)
    with pytest.raises(BadRequest, match=r"\.meta/de\.json cannot be read"):
        files.read(tmp_path, "de")


@pytest.mark.parametrize("linked", ["locales", "locales/.meta"])
def test_a_linked_folder_is_not_followed(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "de.json").write_text("{}")
    (tmp_path / linked).parent.mkdir(exist_ok=True)
    (tmp_path / linked).symlink_to(outside)
    if linked == "locales/.meta":
        (tmp_path / "locales" / "de.json").write_text("{}")
    with pytest.raises(BadRequest):
        files.read(tmp_path, "de")
    with pytest.raises(StorageFull):
        files.write(tmp_path, a_file("de"))
    assert (outside / "de.json").read_text() == "{}"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    files.write(tmp_path, a_file("de"))
    (tmp_path / "locales" / "de.json").unlink()
    os.mkfifo(tmp_path / "locales" / "de.json")
    with pytest.raises(BadRequest, match="not a regular file"):
        files.read(tmp_path, "de")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    files.write(tmp_path, a_file("de"))
    with (tmp_path / "locales" / "de.json").open("wb") as out:
        out.truncate(10**10)
    large = files.read(tmp_path, "de")
    assert large is not None
    with pytest.raises(BadRequest, match="larger than 16 MB"):
        files.decode(large)


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    files.write(tmp_path, a_file("de"))
    for number in range(files.MAX_FILES):
        (tmp_path / "locales" / f"de-x{number:03}.json").write_text("{}")
    with pytest.raises(BadRequest, match="more than 200 files"):
        files.list_locales(tmp_path)


def test_the_folder_is_seeded_once(tmp_path: Path) -> None:
    assert files.seed(tmp_path, [a_file("de"), a_file("es")])
    files.write(tmp_path, a_file("de", "Servus"))
    assert not files.seed(tmp_path, [a_file("de"), a_file("nl")])
    assert [files.read(tmp_path, each) for each in files.list_locales(tmp_path)] == [
        a_file("de", "Servus"),
        a_file("es"),
    ]


def test_of_several_processes_one_seeds(tmp_path: Path) -> None:
    won = list[bool]()
    ready = threading.Barrier(8)

    def seed() -> None:
        ready.wait()
        won.append(files.seed(tmp_path, [a_file("de")]))

    threads = [threading.Thread(target=seed) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
    assert files.read(tmp_path, "de") == a_file("de")


def test_what_a_killed_seeding_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "locales.new").mkdir()
    (tmp_path / "locales.new" / "de.json").write_text("half")
    assert files.seed(tmp_path, [a_file("de")])
    assert files.read(tmp_path, "de") == a_file("de")
    assert not (tmp_path / "locales.new").exists()


WRITER = """
import sys
from pathlib import Path
from tests.localization.test_files import a_file
from teamspace.localization.domain import files
print("ready", flush=True)
number = 0
while True:
    number += 1
    files.write(Path(sys.argv[1]), a_file("de", f"text {number}", 500))
"""


def test_a_killed_export_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
        assert writer.stdout and writer.stdout.readline()
        time.sleep(random.uniform(0.05, 0.2))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        if found := files.read(tmp_path, "de"):  # the marks can be of the next export, which the killed one had begun
            content = files.decode(found)
            assert len(content.messages) == len(content.marks) == 500
            assert len({message.text for message in content.messages}) == 1
    files.write(tmp_path, a_file("de"))
    assert files.read(tmp_path, "de") == a_file("de")
    assert {each.name for each in (tmp_path / "locales").iterdir()} == {"de.json", ".meta"}


async def test_readers_see_the_two_files_of_one_export(tmp_path: Path) -> None:
    sizes = (10, 300)
    files.write(tmp_path, a_file("de", count=sizes[0]))

    async def write() -> None:
        for _ in range(20):
            async with files.locked(tmp_path, shared=False):
                await asyncio.to_thread(files.write, tmp_path, a_file("de", count=random.choice(sizes)))

    async def read() -> None:
        for _ in range(20):
            async with files.locked(tmp_path, shared=True):
                found = await asyncio.to_thread(files.read, tmp_path, "de")
            assert found is not None
            content = files.decode(found)
            assert len(content.messages) == len(content.marks)

    await asyncio.gather(write(), read(), read())


async def test_readers_share_the_lock_and_a_writer_has_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_LOCK_TRIES", 2)
    async with files.locked(tmp_path, shared=True), files.locked(tmp_path, shared=True):
        with pytest.raises(Conflict):
            async with files.locked(tmp_path, shared=False):
                pass
    async with files.locked(tmp_path, shared=False):
        with pytest.raises(Conflict):
            async with files.locked(tmp_path, shared=True):
                pass
