"""Settings: the environment wins over the file, and errors name the setting."""

from pathlib import Path

import pytest

from teamspace.settings import SettingsError, load


def load_values(tmp_path: Path, **values: str) -> object:
    return load(values, file=tmp_path / ".env")


def test_the_defaults_serve_on_loopback_with_sqlite(tmp_path: Path) -> None:
    settings = load({}, file=tmp_path / "none")
    assert (settings.host, settings.port, settings.on_sqlite, settings.multitenant) == ("127.0.0.1", 8080, True, True)
    assert settings.database == "sqlite:data/teamspace.sqlite"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SERVICE_PORT=9000\nSERVICE_LOG=json\nOTHER=1\n")
    settings = load({"SERVICE_PORT": "9001"}, file=tmp_path / ".env")
    assert (settings.port, settings.log) == (9001, "json")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"SERVICE_PROT": "1"}, "SERVICE_PROT is not a setting"),
        ({"SERVICE_PORT": "0"}, "SERVICE_PORT: must be a whole number from 1 to 65535"),
        ({"SERVICE_PORT": "http"}, "SERVICE_PORT"),
        ({"SERVICE_MULTITENANT": "perhaps"}, "SERVICE_MULTITENANT: must be true or false"),
        ({"SERVICE_LOG": "xml"}, "SERVICE_LOG: must be one of text, json"),
        ({"SERVICE_DATABASE_URL": "mysql://x"}, "SERVICE_DATABASE_URL"),
        ({"SERVICE_TRUSTED_PROXIES": "10.0.0.0/99"}, "SERVICE_TRUSTED_PROXIES"),
        ({"SERVICE_BASE_URL": "example.org"}, "SERVICE_BASE_URL"),
        ({"SERVICE_PROVISION_TOKEN": "short"}, "SERVICE_PROVISION_TOKEN"),
        ({"SERVICE_BASE_URL": "https://example.org:99999"}, "SERVICE_BASE_URL"),
        ({"SERVICE_MODEL_URL": "models.example"}, "SERVICE_MODEL_URL: models.example must be a URL"),
        (
            {"SERVICE_MODEL_URL": "http://models.example/v1"},
            "or models.example:80 must be listed in SERVICE_EGRESS_ALLOW",
        ),
        ({"SERVICE_MODEL_URL": "https://10.0.0.1"}, "or 10.0.0.1:443 must be listed in SERVICE_EGRESS_ALLOW"),
        ({"SERVICE_MODEL": "llama"}, "need SERVICE_MODEL_URL"),
        (
            {"SERVICE_MODEL_URL": "https://models.example", "SERVICE_MODEL_KEY": "a b"},
            "SERVICE_MODEL_KEY: must be ASCII without spaces",
        ),
        ({"SERVICE_EXECUTORS": "gpu"}, "SERVICE_EXECUTORS: must be a JSON list"),
        ({"SERVICE_EXECUTORS": '[{"name": "gpu"}]'}, "SERVICE_EXECUTORS: must be a JSON list"),
        ({"SERVICE_EXECUTORS": '[{"name": "a/b", "url": "https://x.example"}]'}, "SERVICE_EXECUTORS"),
        ({"SERVICE_EXECUTORS": '[{"name": "Local", "url": "https://x.example"}]'}, "none called local"),
        (
            {"SERVICE_EXECUTORS": '[{"name": "gpu", "url": "http://x.example"}]'},
            "SERVICE_EXECUTORS: http://x.example must",
        ),
        ({"SERVICE_EGRESS_ALLOW": "localhost"}, "SERVICE_EGRESS_ALLOW: localhost must be host:port"),
        (
            {"SERVICE_MODEL_URL": "http://127.0.0.1:8080/v1", "SERVICE_EGRESS_ALLOW": "127.0.0.1:8080"},
            "not to this server itself",
        ),
        ({"SERVICE_BLOB_STORE": "./disk"}, "SERVICE_BLOB_STORE: must be a name such as rs3"),
        (
            {"SERVICE_BLOB_STORE": "s3"},
            "SERVICE_BLOB_STORE: s3 needs SERVICE_S3_URL, SERVICE_S3_BUCKET, SERVICE_S3_KEY_ID, SERVICE_S3_SECRET",
        ),
        (
            {
                "SERVICE_BLOB_STORE": "s3",
                "SERVICE_S3_URL": "https://s3.example",
                "SERVICE_S3_BUCKET": "files",
                "SERVICE_S3_KEY_ID": "id",
            },
            "SERVICE_BLOB_STORE: s3 needs SERVICE_S3_SECRET",
        ),
        ({"SERVICE_S3_URL": "s3.example"}, "SERVICE_S3_URL: must start with http:// or https://"),
        ({"SERVICE_S3_BUCKET": "a/b"}, "SERVICE_S3_BUCKET: must be a bucket name"),
        ({"SERVICE_WORKERS": "0"}, "SERVICE_WORKERS: must be a whole number from 1 to 64, or auto"),
    ],
)
def test_an_unknown_or_invalid_setting_is_named(tmp_path: Path, values: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as fault:
        load_values(tmp_path, **values)
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)


def test_model_settings_are_read(tmp_path: Path) -> None:
    settings = load(
        {
            "SERVICE_MODEL_URL": "http://127.0.0.1:11434/v1/",
            "SERVICE_EXECUTORS": '[{"name": "gpu", "url": "https://models.example/v1", "model": "llama", "key": "k"}]',
            "SERVICE_EGRESS_ALLOW": "127.0.0.1:11434, [::1]:80",
        },
        file=tmp_path / "none",
    )
    assert settings.model_url == "http://127.0.0.1:11434/v1"
    assert [(executor.name, executor.model) for executor in settings.executors] == [("gpu", "llama")]
    assert settings.egress_allow == {("127.0.0.1", 11434), ("::1", 80)}
