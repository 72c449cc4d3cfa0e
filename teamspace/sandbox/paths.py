"""Places in the file system that every sandboxed process has."""

import sys
from pathlib import Path

SCRATCH = Path("/dev/shm")
"""An empty folder in memory for each sandboxed process, which it can write to and which ends with it."""
DEVICES = tuple(map(Path, ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")))
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives",
    # Certificates, not the private keys beside them.
    "/etc/ssl/openssl.cnf", "/etc/ssl/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted", "/etc/ca-certificates",
)  # fmt: skip
_FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services")


def system_paths(*, network: bool) -> list[Path]:
    """Return the programs and libraries of the system, and what finding hosts needs."""
    return [path for name in (*_SYSTEM, *(_FOR_NETWORK if network else ())) if (path := Path(name)).exists()]


def python_paths() -> tuple[Path, ...]:
    """Return the folders of this Python and its packages."""
    return tuple({Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()})
