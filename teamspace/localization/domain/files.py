"""The folder of catalog files: `<data>/locales/<locale>.json`, and a sidecar for each in `.meta`.

Written only by an export, read only by an import. Every name is a language tag and every step is relative to an open
folder, so that neither a name nor a symbolic link leads elsewhere. A lock between processes keeps the two files of a
locale together: hold it (`locked`) to read or write. All other functions block: call them in a thread.
"""

import asyncio
import contextlib
import fcntl
import os
import re
import shutil
import stat
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

import msgspec

from teamspace.core import pools
from teamspace.core.crypto import sync_folder
from teamspace.core.errors import BadRequest, Conflict, StorageFull
from teamspace.localization.domain import codec
from teamspace.localization.domain.codec import FileMessage, Mark

MAX_FILES = 200
FOLDER = "locales"
_META, _LOCK, _NEW = ".meta", "locales.lock", "locales.new"
_LOCALE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_SUFFIX, _PART = ".json", ".part"
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_TRIES, _LOCK_PAUSE = 300, 0.1


class LocaleFile(msgspec.Struct, frozen=True):
    """The catalog file of a locale and its sidecar, as bytes."""

    locale: str
    catalog: bytes
    marks: bytes | None

    @property
    def name(self) -> str:
        return f"{self.locale}{_SUFFIX}"


class FileContent(msgspec.Struct, frozen=True):
    """What a locale's file and sidecar say."""

    locale: str
    file: str
    messages: list[FileMessage]
    marks: dict[str, Mark]


def decode(file: LocaleFile) -> FileContent:
    """Return the content of a file and its sidecar, or raise BadRequest with file, line and message."""
    marks = {} if file.marks is None else codec.decode_marks(f"{_META}/{file.name}", file.marks)
    return FileContent(file.locale, file.name, codec.decode_catalog(file.name, file.catalog), marks)


@contextlib.asynccontextmanager
async def locked(data: Path, *, shared: bool) -> AsyncIterator[None]:
    """Hold the lock of the folder. Who waits for it holds no thread."""
    operation = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    for _ in range(_LOCK_TRIES):
        descriptor = await pools.FILES.run(_try_lock, data, operation)
        if descriptor is not None:
            with _closing(descriptor):
                yield
            return
        await asyncio.sleep(_LOCK_PAUSE)
    raise Conflict("localization.files_locked")


def list_locales(data: Path) -> list[str]:
    """Return the locales that have a file, in the order of their names."""
    folder = _open(data)
    if folder is None:
        return []
    with _closing(folder):
        names = sorted(name.removesuffix(_SUFFIX) for name in os.listdir(folder) if name.endswith(_SUFFIX))
    locales = [name for name in names if _LOCALE.fullmatch(name)]
    if len(locales) > MAX_FILES:
        raise BadRequest("localization.files", limit=MAX_FILES)
    return locales


def read(data: Path, locale: str) -> LocaleFile | None:
    """Read the files of a locale; None if it has none."""
    _check(locale)
    folder = _open(data)
    if folder is None:
        return None
    with _closing(folder):
        return _read_locale(folder, locale)


def write(data: Path, file: LocaleFile) -> Path:
    """Write the files of a locale; after a crash each is the old or the new one, never a part of it."""
    _check(file.locale)
    try:
        (data / FOLDER).mkdir(exist_ok=True)
        with _closing(os.open(data / FOLDER, _FOLDER_FLAGS)) as folder:
            with contextlib.suppress(FileExistsError):
                os.mkdir(_META, dir_fd=folder)
            # The marks first: a mark with the hash of a text that the file does not have yet approves nothing.
            with _closing(os.open(_META, _FOLDER_FLAGS, dir_fd=folder)) as meta:
                _replace(meta, file.name, file.marks or codec.encode_marks({}))
            _replace(folder, file.name, file.catalog)
        sync_folder(data)
    except OSError as fault:
        raise StorageFull("localization.not_written", file=file.name) from fault
    return data / FOLDER / file.name


def seed(data: Path, files: Iterable[LocaleFile]) -> bool:
    """Create the folder with these files unless it exists; it appears complete or not at all."""
    if os.path.lexists(data / FOLDER):
        return False
    with _closing(os.open(data / _LOCK, _LOCK_FLAGS, 0o600)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.lexists(data / FOLDER):
            return False
        new = data / _NEW
        shutil.rmtree(new, ignore_errors=True)  # a killed server may have left it
        (new / _META).mkdir(parents=True)
        with _closing(os.open(new, _FOLDER_FLAGS)) as folder:
            with _closing(os.open(_META, _FOLDER_FLAGS, dir_fd=folder)) as meta:
                for file in files:
                    _write_new(folder, file.name, file.catalog)
                    if file.marks is not None:
                        _write_new(meta, file.name, file.marks)
                os.fsync(meta)
            os.fsync(folder)
        new.rename(data / FOLDER)
        sync_folder(data)
    return True


def _check(locale: str) -> None:
    """Refuse a locale that cannot be the name of a file."""
    if not _LOCALE.fullmatch(locale):
        raise BadRequest.at("/locale", "localization.locale")


def _open(data: Path) -> int | None:
    """Open the folder; None if there is none."""
    try:
        return os.open(data / FOLDER, _FOLDER_FLAGS)
    except FileNotFoundError:
        return None
    except OSError:
        raise _unreadable(FOLDER) from None


def _read_locale(folder: int, locale: str) -> LocaleFile | None:
    name = f"{locale}{_SUFFIX}"
    catalog = _read(folder, name, name)
    if catalog is None:
        return None
    try:
        meta = os.open(_META, _FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return LocaleFile(locale, catalog, None)
    except OSError:
        raise _unreadable(_META) from None
    with _closing(meta):
        return LocaleFile(locale, catalog, _read(meta, name, f"{_META}/{name}"))


def _read(folder: int, name: str, shown: str) -> bytes | None:
    """Return the bytes of a regular file, at most one more than a file can have; None if there is no file."""
    try:
        with _closing(os.open(name, _READ_FLAGS, dir_fd=folder)) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _unreadable(shown)
            with os.fdopen(os.dup(descriptor), "rb") as file:
                return file.read(codec.MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError:
        raise _unreadable(shown) from None


def _replace(folder: int, name: str, body: bytes) -> None:
    part = f".{name}{_PART}"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part, dir_fd=folder)  # a killed export may have left it
    _write_new(folder, part, body)
    os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def _write_new(folder: int, name: str, body: bytes) -> None:
    with os.fdopen(os.open(name, _WRITE_FLAGS, 0o644, dir_fd=folder), "wb") as out:
        out.write(body)
        out.flush()
        os.fsync(out.fileno())


def _try_lock(data: Path, operation: int) -> int | None:
    """Return a descriptor that holds the lock until it is closed; None if another one does."""
    descriptor = os.open(data / _LOCK, _LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unreadable(file: str) -> BadRequest:
    return BadRequest("localization.file_unreadable", file=file)
