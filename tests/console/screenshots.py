"""Screenshots of every view, and contact sheets of all of them.

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

from tests.console.browser import launch, set_color_scheme, settle, window
from tests.console.instance import Instance
from tests.console.views import FIRST_RUN, SCHEMES, VIEWS, WIDTHS, View
from tests.support.served import Served

THUMBNAILS = {1440: (480, 5), 390: (240, 10)}
"""Width on a contact sheet, and number of columns."""
CAPTION = 22
BACKGROUND, TEXT = "#d9d6d0", "#1f1d1a"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", nargs="*", default=[], help="names of views")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, launch(playwright) as browser:
        if not options.only or FIRST_RUN.name in options.only:
            with served() as server:
                capture_first_run(browser, server, options.out)
        with served() as server:
            instance = Instance(server)
            for view in VIEWS:
                if not options.only or view.name in options.only:
                    capture(browser, instance, view, options.out)
    for width, scheme in product(WIDTHS, SCHEMES):
        print(sheet(options.out, width, scheme))


@contextmanager
def served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as folder, Served({"SERVICE_DATA": f"{folder}/data"}) as server:
        yield server


def capture_first_run(browser: Browser, server: Served, out: Path) -> None:
    with window(browser, server.url) as page:
        page.goto(FIRST_RUN.address)
        settle(page)
        capture_both_schemes(page, FIRST_RUN.name, 1440, out)
        page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
        capture_both_schemes(page, FIRST_RUN.name, 390, out)


def capture(browser: Browser, instance: Instance, view: View, out: Path) -> None:
    token = instance.session(view.who) if view.who else ""
    for width, height in WIDTHS.items():
        with window(browser, instance.url, token=token, width=width, height=height) as page:
            view.show(page, instance)
            capture_both_schemes(page, view.name, width, out)


def capture_both_schemes(page: Page, name: str, width: int, out: Path) -> None:
    for scheme in SCHEMES:
        set_color_scheme(page, scheme)
        page.screenshot(path=out / f"{name}-{width}-{scheme}.png", animations="disabled")


def sheet(out: Path, width: int, scheme: str) -> Path:
    """A contact sheet of all screenshots of one width and colour scheme."""
    thumbnail_width, columns = THUMBNAILS[width]
    thumbnail_height = thumbnail_width * WIDTHS[width] // width
    screenshots = sorted(path for path in out.glob(f"*-{width}-{scheme}.png") if not path.name.startswith("sheet"))
    rows = -(-len(screenshots) // columns)
    cell_width, cell_height = thumbnail_width + 8, thumbnail_height + CAPTION + 8
    image = Image.new("RGB", (columns * cell_width, rows * cell_height), BACKGROUND)
    draw = ImageDraw.Draw(image)
    for index, path in enumerate(screenshots):
        left, top = index % columns * cell_width + 4, index // columns * cell_height + 4
        draw.text((left, top + 4), path.name.removesuffix(f"-{width}-{scheme}.png"), fill=TEXT)
        with Image.open(path) as screenshot:
            image.paste(screenshot.convert("RGB").resize((thumbnail_width, thumbnail_height)), (left, top + CAPTION))
    target = out / f"sheet-{width}-{scheme}.png"
    image.quantize(256).save(target)
    return target


if __name__ == "__main__":
    main()
