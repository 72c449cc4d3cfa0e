"""What the instance tells anybody."""

import msgspec


class Health(msgspec.Struct, frozen=True):
    ok: bool
    multitenant: bool


class Localization(msgspec.Struct, frozen=True):
    default_locale: str
    available_locales: list[str]
    switching: bool


class Config(msgspec.Struct, frozen=True):
    """What a client must know before anybody signs in. `bootstrapped` is false until the first operator exists."""

    home: str
    multitenant: bool
    bootstrapped: bool
    localization: Localization
