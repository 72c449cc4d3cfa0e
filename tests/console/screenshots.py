"""Pictures of everything there is to see, and sheets on which a person can look all of it over.

python -m tests.console.screenshots [--out DIR] [--only NAME ...]
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from tests.console.browser import launch, settle, wear, window
from tests.console.sights import FIRST_RUN, SCHEMES, SIGHTS, WIDTHS, Sight
from tests.console.stage import Stage
from tests.support.served import Served

THUMBNAILS = {1440: (480, 5), 390: (240, 10)}
"""How wide they are on a sheet, and how many stand in a row."""
CAPTION = 22
PAPER, INK = "#d9d6d0", "#1f1d1a"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", nargs="*", default=[], help="names of sights")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, launch(playwright) as browser:
        if not options.only or FIRST_RUN.name in options.only:
            with served() as server:
                take_first_run(browser, server, options.out)
        with served() as server:
            stage = Stage(server)
            for sight in SIGHTS:
                if not options.only or sight.name in options.only:
                    take(browser, stage, sight, options.out)
    for width, scheme in product(WIDTHS, SCHEMES):
        print(sheet(options.out, width, scheme))


@contextmanager
def served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as folder, Served({"SERVICE_DATA": f"{folder}/data"}) as server:
        yield server


def take_first_run(browser: Browser, server: Served, out: Path) -> None:
    with window(browser, server.url) as page:
        page.goto(FIRST_RUN.address)
        settle(page)
        in_both_schemes(page, FIRST_RUN.name, 1440, out)
        page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
        in_both_schemes(page, FIRST_RUN.name, 390, out)


def take(browser: Browser, stage: Stage, sight: Sight, out: Path) -> None:
    token = stage.session(sight.who) if sight.who else ""
    for width, height in WIDTHS.items():
        with window(browser, stage.url, token=token, width=width, height=height) as page:
            sight.show(page, stage)
            in_both_schemes(page, sight.name, width, out)


def in_both_schemes(page: Page, name: str, width: int, out: Path) -> None:
    for scheme in SCHEMES:
        wear(page, scheme)
        page.screenshot(path=out / f"{name}-{width}-{scheme}.png", animations="disabled")


def sheet(out: Path, width: int, scheme: str) -> Path:
    """All pictures of one width and scheme side by side, each with its name."""
    across, columns = THUMBNAILS[width]
    down = across * WIDTHS[width] // width
    pictures = sorted(path for path in out.glob(f"*-{width}-{scheme}.png") if not path.name.startswith("sheet"))
    rows = -(-len(pictures) // columns)
    paper = Image.new("RGB", (columns * (across + 8), rows * (down + CAPTION + 8)), PAPER)
    pen = ImageDraw.Draw(paper)
    for place, path in enumerate(pictures):
        left, top = place % columns * (across + 8) + 4, place // columns * (down + CAPTION + 8) + 4
        pen.text((left, top + 4), path.name.removesuffix(f"-{width}-{scheme}.png"), fill=INK)
        with Image.open(path) as picture:
            paper.paste(picture.convert("RGB").resize((across, down)), (left, top + CAPTION))
    target = out / f"sheet-{width}-{scheme}.png"
    paper.quantize(256).save(target)
    return target


if __name__ == "__main__":
    main()
