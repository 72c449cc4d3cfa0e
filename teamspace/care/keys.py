"""The secret key that a backup belongs to: it is not in the backup, and signs it."""

from teamspace.care.errors import CareError
from teamspace.care.manifest import Manifest
from teamspace.core.crypto import KEY_FILE, Vault
from teamspace.core.db.canary import opening
from teamspace.settings import Settings


def key_of(manifest: Manifest, settings: Settings) -> Vault:
    """The settings' key, if it is the one with which the manifest's instance seals."""
    if not settings.secret_key and not (settings.data / KEY_FILE).exists():
        raise CareError(
            f"the secret key is missing: put {KEY_FILE} in {settings.data}, or set SERVICE_SECRET_KEY;"
            " the key is not in the backup"
        )
    vault = opening(manifest.canary, settings.secret_key, settings.data)
    if vault is None:
        raise CareError("the secret key is not the one the backup was made with")
    return vault
