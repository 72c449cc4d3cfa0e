"""The secret key of a backup: it signs the backup, but is not part of it."""

from teamspace.core.crypto import KEY_FILE, Vault
from teamspace.core.db.canary import vault_for_canary
from teamspace.ops.errors import OpsError
from teamspace.ops.manifest import Manifest
from teamspace.settings import Settings


def vault_for(manifest: Manifest, settings: Settings) -> Vault:
    """Return the vault with the configured key; raise if it is not the key of the backup's instance."""
    if not settings.secret_key and not (settings.data / KEY_FILE).exists():
        raise OpsError(
            f"the secret key is missing: put {KEY_FILE} in {settings.data}, or set SERVICE_SECRET_KEY;"
            " the key is not in the backup"
        )
    vault = vault_for_canary(manifest.canary, settings.secret_key, settings.data)
    if vault is None:
        raise OpsError("the secret key does not belong to the backup")
    return vault
