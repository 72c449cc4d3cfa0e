"""Themes as CSS, for pages that the server writes."""

import msgspec

from teamspace.branding.schemas import Theme

_FONTS = {
    "inter": '"Inter Variable",Inter,system-ui,sans-serif',
    "system": "system-ui,sans-serif",
    "serif": 'Charter,"Iowan Old Style",Georgia,serif',
    "mono": "ui-monospace,monospace",
}


def variables(theme: Theme, own_font: str = "") -> str:
    """Return the theme as CSS variables, optionally with a font before its own.

    Tokens were parsed and normalised when set: none can end the style.
    """
    colours = {
        f"--{name.replace('_', '-')}": value
        for name, value in msgspec.structs.asdict(theme).items()
        if name not in ("radius", "font")
    }
    font = (f'"{own_font}",' if own_font else "") + _FONTS[theme.font]
    return ";".join(
        f"{name}:{value}" for name, value in {**colours, "--radius": f"{theme.radius}px", "--font": font}.items()
    )
