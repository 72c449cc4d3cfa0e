"""The simulated disk loses exactly what a real one can lose."""

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
SYNCED: tuple[Event, ...] = (*NEW, Synced(1), FolderSynced("."))


def image_of(*log: Event, outcome: Outcome = nothing) -> dict[str, bytes | None]:
    *_, end = cuts(log)
    return end.disk.image_after_cut(outcome).entries


def test_a_file_needs_a_sync_of_its_bytes_and_of_its_name() -> None:
    assert image_of(*NEW) == {}
    assert image_of(*NEW, Synced(1)) == {}
    assert image_of(*NEW, FolderSynced(".")) == {"a": b""}
    assert image_of(*SYNCED) == {"a": b"first"}
    assert image_of(*NEW, outcome=everything) == {"a": b"first"}


def test_a_folder_needs_a_sync_of_its_own_name() -> None:
    below: tuple[Event, ...] = (Named((("b", FOLDER),)), Named((("b/a", 1),)), Synced(1), FolderSynced("b"))
    assert image_of(*below) == {}
    assert image_of(*below, FolderSynced(".")) == {"b": None, "b/a": b""}


def test_a_rename_is_kept_once_the_target_folder_is_synced() -> None:
    folders: tuple[Event, ...] = (*SYNCED, Named((("b", FOLDER),)), FolderSynced("."))
    renamed: tuple[Event, ...] = (*folders, Named((("b/a", 1), ("a", None))))
    assert image_of(*renamed) == {"a": b"first", "b": None}
    assert image_of(*renamed, FolderSynced(".")) == {"a": b"first", "b": None}
    assert image_of(*renamed, FolderSynced("b")) == {"b": None, "b/a": b"first"}


def test_no_name_from_before_a_sync_comes_back() -> None:
    unsynced: tuple[Event, ...] = (Named((("b", FOLDER),)), FolderSynced("."), Named((("b/draft", 1),)), Synced(1))
    assert image_of(*unsynced, Named((("a", 1), ("b/draft", None))), FolderSynced("."), outcome=everything) == {
        "a": b"",
        "b": None,
    }


def test_an_unsynced_removal_or_resize_may_be_lost() -> None:
    assert image_of(*SYNCED, Named((("a", None),))) == {"a": b"first"}
    assert image_of(*SYNCED, Resized(1, 0)) == {"a": b"first"}
    assert image_of(*SYNCED, Resized(1, 2), outcome=everything) == {"a": b"fi"}
    assert image_of(*SYNCED, Resized(1, 7), Synced(1)) == {"a": b"first\0\0"}


def test_a_write_may_reach_some_sectors_and_tear_others() -> None:
    log: tuple[Event, ...] = (*SYNCED, Written(1, 0, bytes(20_000)), Synced(1), Written(1, 100, b"x" * 19_000))
    images = [image_of(*log, outcome=torn(seed)) for seed in range(50)]
    assert images == [image_of(*log, outcome=torn(seed)) for seed in range(50)], "the seed decides"
    contents = {image["a"] for image in images}
    assert len(contents) > 30
    for content in contents:
        assert content is not None
        assert set(content[:100] + content[19_100:]) == {0}, "bytes outside the write are unchanged"
        sectors = [content[start : start + 512] for start in range(512, 18_944, 512)]
        assert all(sector == sector[: sector.count(b"x")].ljust(512, b"\0") for sector in sectors)
    assert any(0 < (content or b"").count(b"x") < 19_000 for content in contents)
