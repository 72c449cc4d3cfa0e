"""The disk that the power cuts are tried on forgets what a real one may forget, and no more."""

from tests.durability.disk import (
    FOLDER,
    Event,
    FolderSynced,
    Named,
    Outcome,
    Resized,
    Synced,
    Written,
    cuts,
    everything,
    nothing,
    torn,
)

NEW: tuple[Event, ...] = (Named((("a", 1),)), Written(1, 0, b"first"))
SETTLED: tuple[Event, ...] = (*NEW, Synced(1), FolderSynced("."))


def kept(*log: Event, outcome: Outcome = nothing) -> dict[str, bytes | None]:
    *_, end = cuts(log)
    return end.disk.after_a_cut(outcome).entries


def test_a_file_needs_its_bytes_and_its_name() -> None:
    assert kept(*NEW) == {}
    assert kept(*NEW, Synced(1)) == {}
    assert kept(*NEW, FolderSynced(".")) == {"a": b""}
    assert kept(*SETTLED) == {"a": b"first"}
    assert kept(*NEW, outcome=everything) == {"a": b"first"}


def test_a_folder_needs_its_own_name() -> None:
    below: tuple[Event, ...] = (Named((("b", FOLDER),)), Named((("b/a", 1),)), Synced(1), FolderSynced("b"))
    assert kept(*below) == {}
    assert kept(*below, FolderSynced(".")) == {"b": None, "b/a": b""}


def test_a_rename_is_kept_once_the_folder_that_it_leads_to_is_synced() -> None:
    folders: tuple[Event, ...] = (*SETTLED, Named((("b", FOLDER),)), FolderSynced("."))
    renamed: tuple[Event, ...] = (*folders, Named((("b/a", 1), ("a", None))))
    assert kept(*renamed) == {"a": b"first", "b": None}
    assert kept(*renamed, FolderSynced(".")) == {"a": b"first", "b": None}
    assert kept(*renamed, FolderSynced("b")) == {"b": None, "b/a": b"first"}


def test_no_name_comes_back_from_before_a_sync() -> None:
    unsynced: tuple[Event, ...] = (Named((("b", FOLDER),)), FolderSynced("."), Named((("b/draft", 1),)), Synced(1))
    assert kept(*unsynced, Named((("a", 1), ("b/draft", None))), FolderSynced("."), outcome=everything) == {
        "a": b"",
        "b": None,
    }


def test_a_removal_and_a_change_of_size_may_be_forgotten() -> None:
    assert kept(*SETTLED, Named((("a", None),))) == {"a": b"first"}
    assert kept(*SETTLED, Resized(1, 0)) == {"a": b"first"}
    assert kept(*SETTLED, Resized(1, 2), outcome=everything) == {"a": b"fi"}
    assert kept(*SETTLED, Resized(1, 7), Synced(1)) == {"a": b"first\0\0"}


def test_a_write_may_reach_some_sectors_and_tear_others() -> None:
    log: tuple[Event, ...] = (*SETTLED, Written(1, 0, bytes(20_000)), Synced(1), Written(1, 100, b"x" * 19_000))
    images = [kept(*log, outcome=torn(seed)) for seed in range(50)]
    assert images == [kept(*log, outcome=torn(seed)) for seed in range(50)], "a seed says which"
    contents = {image["a"] for image in images}
    assert len(contents) > 30
    for content in contents:
        assert content is not None
        assert set(content[:100] + content[19_100:]) == {0}, "what was not written to stays"
        sectors = [content[start : start + 512] for start in range(512, 18_944, 512)]
        assert all(sector == sector[: sector.count(b"x")].ljust(512, b"\0") for sector in sectors)
    assert any(0 < (content or b"").count(b"x") < 19_000 for content in contents)
