"""Runs the command line: `python -m teamspace` is the same as `teamspace`."""

import gc


def main() -> None:
    gc.disable()  # all that is imported stays: looking for garbage in it takes a sixth of the start
    from teamspace import cli  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    cli.main()


if __name__ == "__main__":
    main()
