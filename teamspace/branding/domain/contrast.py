"""The contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""


def ratio(one: str, other: str) -> float:
    """Return the contrast of two `#rrggbb` colours, in either order, without rounding.

    No pair of colours has a contrast closer to 3 or 4.5 than 6e-14, and the error of a double is below 1e-14, so
    every comparison with these limits is exact.
    """
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_LINEAR[channel] for channel in bytes.fromhex(colour[1:]))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: int) -> float:
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


_LINEAR = tuple(_linear(channel) for channel in range(256))
