"""Shared by the branding tests: company admins, hostnames, pictures, and audit rows."""

import base64
import hashlib
import io
import json
import struct
import zlib
from typing import Any

import httpx2
from PIL import Image

from teamspace import branding
from teamspace.core.principal import system
from teamspace.tenancy.schemas import Org, OrgRole, Role
from tests.support.world import Caller, World

BASE = {
    "background": "#faf9f7", "surface": "#ffffff", "text": "#1f1d1a", "text_muted": "#625d56", "border": "#e4e0da",
    "accent": "#0f6b62", "accent_text": "#ffffff", "link": "#0b6285", "focus": "#2f6fed", "danger": "#b3261e",
    "success": "#1b6e3a", "warning": "#8a5300", "radius": 8, "font": "inter",
}  # fmt: skip
DARK_BASE = BASE | {
    "background": "#151413", "surface": "#1e1d1b", "text": "#f1eee9", "text_muted": "#aaa49b", "border": "#35322e",
    "accent": "#5cc9b8", "accent_text": "#06211d", "link": "#7cc4ea", "focus": "#8ab4ff", "danger": "#ff8a80",
    "success": "#7fd694", "warning": "#f0b860",
}  # fmt: skip
DEFAULT = {"title": "Teamspace", "tagline": "", "logo": None, "theme": BASE, "theme_dark": DARK_BASE}

# People


async def company_admin(world: World, name: str, *, domain: str = "") -> Caller:
    """The admin of a new company, perhaps with a hostname."""
    org, team = await world.company(name)
    if domain:
        await set_hostname(world, org, domain)
    return await world.person(org, team, Role.MEMBER, org_role=OrgRole.ADMIN)


async def set_hostname(world: World, org: Org, domain: str) -> None:
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE orgs SET domain = :domain WHERE id = :id", domain=domain, id=org.id)


async def get_branding(who: Caller, host: str = "teamspace.test") -> dict[str, Any]:
    """What GET /api/branding returns to a caller at a hostname."""
    answer = await who.get("/api/branding", headers={"host": host})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def put_branding(who: Caller, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await who.put(path, body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def without_dark(shown: dict[str, Any]) -> dict[str, Any]:
    """The same without the derived dark theme."""
    return {name: value for name, value in shown.items() if name != "theme_dark"}


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def audit_rows(world: World) -> list[tuple[str, str, list[str] | None]]:
    """The actions on branding with their targets and changed fields."""
    actions = await world.db.all(str, "SELECT action FROM audit WHERE action LIKE 'branding.%' ORDER BY id")
    targets = await world.db.all(str, "SELECT target FROM audit WHERE action LIKE 'branding.%' ORDER BY id")
    details = await world.db.all(str, "SELECT detail FROM audit WHERE action LIKE 'branding.%' ORDER BY id")
    fields = [json.loads(detail).get("fields") for detail in details]
    return list(zip(actions, targets, fields, strict=True))


async def violations(world: World) -> list[str]:
    """The violated invariants of branding."""
    return [invariant.name for invariant in branding.INVARIANTS if await world.db.exists(invariant.sql)]


# Pictures


def picture(format: str = "PNG", size: tuple[int, int] = (7, 5), *, mode: str = "RGB", **options: Any) -> bytes:
    """A picture of many colours, so that it compresses badly."""
    out = io.BytesIO()
    image = Image.radial_gradient("L").resize(size).convert(mode)
    image.save(out, format, **options)
    return out.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def header(width: int, height: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))


PIXEL = chunk(b"IDAT", zlib.compress(b"\0\0"))
END = chunk(b"IEND", b"")


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def logo_path(data: bytes) -> str:
    return f"/api/branding?logo={hashlib.sha256(data).hexdigest()}"
