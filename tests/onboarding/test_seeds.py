"""Experiences of the setting and of plugins."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import onboarding, wiring
from teamspace.app import assemble
from teamspace.core.limits import Stopping
from teamspace.core.messages import catalogs
from teamspace.core.tables import OnboardingExperience
from teamspace.plugins import find
from teamspace.settings import Settings, SettingsError, load
from tests.onboarding.help import document
from tests.plugins.help import failures
from tests.support.world import world as open_world

BAD: list[tuple[Any, str]] = [
    ({}, "fields"),
    (document() | {"fields": []}, "fields"),
    (document("x" * 121), "/copy/en/title"),
    (document(theme={"accent": "red"}), "accent"),
    (document(theme={"logo": "x"}), "/theme/logo"),
    (document(retention_days=30), "/retention_days"),
]


def with_file(folder: Path, content: str) -> Settings:
    file = folder / "experience.json"
    file.write_text(content)
    return load({"SERVICE_BETA_EXPERIENCE": str(file), "SERVICE_DATA": str(folder / "data")}, file=folder / "no.env")


async def test_the_setting_counts_until_a_team_publishes(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "experience.json"
    file.write_text(json.dumps(document("From the file")))
    seeded = msgspec.structs.replace(settings, beta_experience=json.loads(file.read_text()))
    async with open_world(seeded) as world:
        ann = await world.bootstrap()
        shown = (await world.anonymous.get("/api/beta/config")).json()
        assert shown["copy"]["title"] == "From the file"
        assert (await ann.get("/api/beta/experience")).json()["live"] == {"source": "setting", "own": True}
        await ann.put("/api/beta/experience", document("Ours"))
        await ann.post("/api/beta/experience/publish")
        assert (await world.anonymous.get("/api/beta/config")).json()["copy"]["title"] == "Ours"


@pytest.mark.parametrize(("body", "named"), BAD)
def test_a_file_with_errors_stops_the_start(tmp_path: Path, body: Any, named: str) -> None:
    settings = with_file(tmp_path, json.dumps(body))
    with pytest.raises(SettingsError, match=f"SERVICE_BETA_EXPERIENCE: .*{named}"):
        assemble(settings, Stopping())


@pytest.mark.parametrize("content", ["", "[]", "{", "nonsense"])
def test_a_file_that_is_no_object_stops_the_start(tmp_path: Path, content: str) -> None:
    with pytest.raises(SettingsError, match="SERVICE_BETA_EXPERIENCE: must be a JSON file"):
        with_file(tmp_path, content)


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SERVICE_BETA_EXPERIENCE: must be a JSON file"):
        load({"SERVICE_BETA_EXPERIENCE": str(tmp_path / "none")}, file=tmp_path / "no.env")


def make_plugin(folder: Path, body: Any) -> Path:
    plugin = folder / "greeter"
    plugin.mkdir()
    manifest = {"id": "greeter", "name": "Greeter", "version": "1.0.0", "description": "Greets", "entry": "plugin.py"}
    (plugin / "plugin.json").write_text(json.dumps(manifest))
    (plugin / "plugin.py").write_text(
        f"from teamspace.sdk import OnboardingExperience\nONBOARDING = (OnboardingExperience({body!r}),)\n"
    )
    return plugin


async def test_the_experience_of_an_added_plugin_is_shown_instead_of_ours(settings: Settings, tmp_path: Path) -> None:
    plugin = make_plugin(tmp_path, document("Greetings"))
    async with open_world(msgspec.structs.replace(settings, plugins=(plugin,))) as world:
        await world.bootstrap()
        assert (await world.anonymous.get("/api/beta/config")).json()["copy"]["title"] == "Greetings"


@pytest.mark.parametrize(("body", "named"), BAD)
def test_a_plugin_with_a_wrong_experience_is_left_out(tmp_path: Path, body: Any, named: str) -> None:
    failed = failures(wiring.add(find([make_plugin(tmp_path, body)])))
    assert "the experience is not valid" in failed["greeter"] and named in failed["greeter"]


def test_what_ships_is_written_in_every_language_that_ships() -> None:
    (row,) = wiring.SHIPPED.rows(OnboardingExperience)
    shipped = onboarding.read_seed(row.document)
    assert set(shipped.copy) == set(catalogs())
    labels = [field.label for field in shipped.fields]
    labels += [option.label for field in shipped.fields for option in field.options if not isinstance(option, str)]
    assert all(set(label) == set(catalogs()) for label in labels)
    assert all(all(msgspec.structs.asdict(copy).values()) for copy in shipped.copy.values())
