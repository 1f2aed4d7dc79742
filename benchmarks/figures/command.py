"""`./run reproduce`: figures of the Ember paper, simulated again, and those of GOGETA and SAM.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.figures import fig03, fig04, fig06, fig07, fig08, fig16, fig17, fig18, fig19, gogeta
from benchmarks.figures.figure import Figure
from benchmarks.figures.sam import figures as sam
from benchmarks.figures.sam.comparison import Comparison
from benchmarks.figures.sam.streams import make_tokens

FIGURES: dict[str, Callable[[Path, bool], Figure | Comparison]] = {
    "fig3": fig03.make,
    "fig4": fig04.make,
    "fig6": fig06.make,
    "fig7": fig07.make,
    "fig8": fig08.make,
    "fig16": fig16.make,
    "fig17": fig17.make,
    "fig18": fig18.make,
    "fig19": fig19.make,
    **gogeta.FIGURES,
    **sam.FIGURES,
}
# Names for several figures.
GROUPS = {"gogeta": list(gogeta.FIGURES), "sam": list(sam.FIGURES)}


def main() -> int:
    """Runs what the command line names."""
    parser = argparse.ArgumentParser(prog="./run reproduce", description=__doc__.splitlines()[0])
    parser.add_argument(
        "figures", nargs="*", metavar="FIGURE", help=f"{', '.join((*FIGURES, *GROUPS))}; none: all"
    )
    parser.add_argument("--quick", action="store_true", help="smaller inputs, a few minutes")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="where they are written (results)"
    )
    parser.add_argument(
        "--data", type=Path, help="of sam-fig4.15: a folder of .mtx files in place of the graphs"
    )
    arguments = parser.parse_args()
    makers = dict(FIGURES)
    if arguments.data is not None:
        makers["sam-fig4.15"] = partial(make_tokens, folder=arguments.data)
    figures = [part for name in arguments.figures for part in GROUPS.get(name, [name])]
    unknown = [name for name in figures if name not in FIGURES]
    if unknown:
        parser.error(f"no figure {unknown[0]!r}; there are: {', '.join((*FIGURES, *GROUPS))}")
    for name in figures or FIGURES:
        print(f"== {name}", flush=True)
        figure = makers[name](arguments.results / "runs", arguments.quick)
        files = figure.write(arguments.results)
        print(figure.table())
        print("written:", ", ".join(str(file) for file in files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
