"""A page that steps through the cycles of a simulation, with tokens on the wires.

The file needs nothing else: its picture, styles, script and tokens are in it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from ember.errors import ArgumentError
from ember.inspection.files import write_whole
from ember.sam.layout import BACK, WIDTH, Box, Layout, Wire, lay_out
from ember.sam.statistics import Block, Statistics
from ember.sam.wires import tokens_of

FOLDER = Path(__file__).resolve().parent
#: Longer runs make pages that browsers do not like.
MOST_TOKENS = 200_000

#: What a stream has, by the beginning of its port's name.
_STREAMS = {
    "crd": "crd",
    "outer": "crd",
    "inner": "crd",
    "ref": "ref",
    "val": "val",
    "bv": "bv",
    "repsig": "sig",
    "skip": "skip",
}


def write_page(file: Path, title: str, statistics: Statistics, trace: Path) -> Path:
    """Writes the page of a simulation that was traced; returns its path.

    Raises ArgumentError where there are too many tokens, or the file cannot be written.
    """
    if statistics.tokens > MOST_TOKENS:
        raise ArgumentError(
            f"the run has {statistics.tokens} tokens, and a page shows at most {MOST_TOKENS}: give "
            "smaller arrays, or simulate(trace=...) for ui.perfetto.dev"
        )
    write_whole(file, page_of(title, statistics, tokens_of(trace)))
    return file


def page_of(
    title: str, statistics: Statistics, tokens: Mapping[str, Sequence[tuple[int, str]]]
) -> str:
    """The text of the page. tokens: cycles and texts by output, as "scan_B0.crd"."""
    blocks = statistics.blocks
    outputs = {name: _outputs(block, blocks) for name, block in blocks.items()}
    layout = lay_out({name: block.inputs for name, block in blocks.items()}, outputs)
    # What intersecters would tell scanners is shown where there is a wire for it.
    drawn = {f"{name}.{port}" for name, ports in outputs.items() for port in ports}
    data = {
        "cycles": statistics.cycles,
        "tokens": {wire: list(map(list, tokens.get(wire, ()))) for wire in sorted(drawn)},
        "blocks": {name: _facts(block) for name, block in blocks.items()},
    }
    # No text of a token ends the script.
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    parts = {
        "title": escape(title),
        "facts": escape(f"{statistics.cycles} cycles, {statistics.tokens} tokens"),
        "last": str(max(0, statistics.cycles - 1)),
        "style": (FOLDER / "page.css").read_text(),
        "picture": picture_of(layout, blocks),
        "data": text,
        "script": (FOLDER / "page.js").read_text(),
    }
    page = (FOLDER / "page.html").read_text()
    before, *rest = page.split("{{")
    for part in rest:
        name, _, after = part.partition("}}")
        before += parts[name] + after
    return before


def picture_of(layout: Layout, blocks: Mapping[str, Block]) -> str:
    """The graph as SVG, with a place for the token of each output."""
    lines = [
        f'<svg id="graph" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width:.0f}" height="{layout.height:.0f}" role="img">'
    ]
    lines += [_draw_wire(wire) for wire in layout.wires]
    lines += [_draw_box(box, blocks[box.name]) for box in layout.boxes.values()]
    return "\n".join([*lines, "</svg>"])


def stream_of(port: str) -> str:
    """The type of a stream by the port that shows it: crd, ref, val, bv, sig or skip."""
    return next((kind for begin, kind in _STREAMS.items() if port.startswith(begin)), "crd")


def _outputs(block: Block, blocks: Mapping[str, Block]) -> list[str]:
    """The output ports that show tokens, or that a wire begins at."""
    prefix = f"{block.name}."
    read = [
        source.removeprefix(prefix)
        for other in blocks.values()
        for source in other.inputs.values()
        if source.startswith(prefix)
    ]
    return list(dict.fromkeys([*block.outputs, *read]))


def _facts(block: Block) -> list[str]:
    """What a page says of a block."""
    facts = [
        f"busy {block.busy}",
        f"starved {block.starved}",
        f"held {block.held}",
        f"{block.tokens} tokens",
    ]
    if block.queues:
        facts.append(f"longest queue {max(block.queues.values())}")
    if block.storage is not None:
        facts.append(f"holds {block.storage} sums")
    return [block.kind, *facts]


def _draw_wire(wire: Wire) -> str:
    kind = "back" if wire.port == BACK else ""
    return (
        f'<path class="wire {stream_of(wire.source.rpartition(".")[2])} {kind}" '
        f'data-wire="{escape(wire.source)}" d="{wire.path()}"/>'
    )


def _draw_box(box: Box, block: Block) -> str:
    """A block with its ports, and a label for the token of each output."""
    lines = [
        f'<g class="block" tabindex="0" data-block="{escape(box.name)}" '
        f'transform="translate({box.x:.0f} {box.y:.0f})">',
        f"<title>{escape(', '.join(_facts(block)))}</title>",
        f'<rect width="{WIDTH}" height="{box.height:.0f}" rx="6"/>',
        f'<text class="name" x="{WIDTH / 2:.0f}" y="16">{escape(box.name)}</text>',
    ]
    for port, height in box.inputs.items():
        lines.append(f'<text class="port" x="6" y="{height + 4:.0f}">{escape(port)}</text>')
    for port, height in box.outputs.items():
        wire = escape(f"{box.name}.{port}")
        lines.append(
            f'<text class="port out" x="{WIDTH - 6}" y="{height + 4:.0f}">{escape(port)}</text>'
        )
        lines.append(
            f'<g class="token {stream_of(port)}" data-token="{wire}" hidden '
            f'transform="translate({WIDTH + 4} {height:.0f})">'
            '<rect y="-9" height="18" rx="9"/><text x="8" y="4"></text></g>'
        )
    return "\n".join([*lines, "</g>"])
