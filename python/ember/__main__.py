"""python -m ember: says what is missing, and shows programs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import ember
from ember.inspection.levels import LEVELS
from ember.stages import TARGETS


def main(words: Sequence[str] | None = None) -> int:
    """0 where all is well, 1 where something is missing or wrong."""
    options = _parser().parse_args(words)
    if options.command in (None, "doctor"):
        return 0 if ember.doctor() else 1
    try:
        text = _read(options.program)
        compile_options = ember.Options(target=options.target, opt_level=options.opt_level)
        if options.command == "show":
            print(ember.show(text, options.level, options=compile_options).rstrip("\n"))
        else:
            print(ember.show_page(text, options.output, options=compile_options))
    except (ember.EmberError, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _read(name: str) -> str:
    return sys.stdin.read() if name == "-" else Path(name).read_text()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ember", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("doctor", help="what is found and what is missing (default)")
    show = commands.add_parser("show", help="print a program at a level")
    page = commands.add_parser("page", help="write a page with all levels side by side")
    names = ", ".join(level.name for level in LEVELS)
    show.add_argument("--level", default="slc", help=f"{names} (default: slc)")
    page.add_argument("-o", "--output", default="page.html", metavar="FILE")
    for command in (show, page):
        command.add_argument("program", metavar="FILE.mlir", help="- for standard input")
        command.add_argument("--target", choices=TARGETS, default="cpu")
        command.add_argument("-O", "--opt-level", type=int, default=3, metavar="0..4")
    return parser


if __name__ == "__main__":
    sys.exit(main())
