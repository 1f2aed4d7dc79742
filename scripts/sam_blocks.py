"""Draws the pictures of docs/sam-blocks.md: each block with what it makes of streams.

    sam_blocks.py [--check]

The streams that go into a block are written below; those that come out are what ember-run makes of
them. A picture that it no longer agrees with is written anew, or, with --check, an error.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from ember.compiler import find_tool

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("docs") / "images"
#: The matrix that blocks read: rows 0, 1 and 3 have elements.
MATRIX = [[0, 1, 0, 0], [2, 0, 3, 0], [0, 0, 0, 0], [0, 4, 0, 5]]
MATRIX_TYPE = "tensor<4x4xf32, #cin.format<compressed, compressed fill 0.0 : f32>>"
DENSE_TYPE = "tensor<4x4xf32>"


@dataclass(frozen=True)
class Picture:
    """A block and the streams at it.

    inputs: type and tokens by name. operation: what stands right of `=`, with %NAME for inputs and
    %B for the matrix. outputs: what results are called; empty if the block writes. tensor: the type
    of %B, if it is read.
    """

    title: str
    inputs: dict[str, tuple[str, str]]
    operation: str
    outputs: tuple[str, ...]
    tensor: str = ""


PICTURES: dict[str, Picture] = {
    "root": Picture("root", {}, "sam.root", ("ref",)),
    "scan": Picture(
        "scan B[1], compressed",
        {"ref": ("ref<1>", "0 1 2 S0 D")},
        "sam.scan %B[1] at %ref : {tensor}, !sam.ref<1>",
        ("crd", "ref"),
        MATRIX_TYPE,
    ),
    "scan-dense": Picture(
        "scan B[1], dense",
        {"ref": ("ref<1>", "0 2 S0 D")},
        "sam.scan %B[1] at %ref : {tensor}, !sam.ref<1>",
        ("crd", "ref"),
        DENSE_TYPE,
    ),
    "repeat": Picture(
        "repeat",
        {"ref": ("ref<1>", "5 6 7 S0 D"), "crd": ("crd<2>", "0 2 S0 S0 1 S1 D")},
        "sam.repeat %ref by %signal : !sam.ref<1>",
        ("ref",),
    ),
    "intersect": Picture(
        "intersect",
        {
            "crd1": ("crd<2>", "0 1 3 S0 2 S1 D"),
            "ref1": ("ref<2>", "0 1 2 S0 3 S1 D"),
            "crd2": ("crd<2>", "1 2 3 S0 0 S1 D"),
            "ref2": ("ref<2>", "0 1 2 S0 3 S1 D"),
        },
        "sam.intersect (%crd1, %ref1), (%crd2, %ref2) "
        ": (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>, !sam.ref<2>)",
        ("crd", "ref1", "ref2"),
    ),
    "union": Picture(
        "union",
        {
            "crd1": ("crd<1>", "0 1 S0 D"),
            "ref1": ("ref<1>", "0 1 S0 D"),
            "crd2": ("crd<1>", "1 3 S0 D"),
            "ref2": ("ref<1>", "0 1 S0 D"),
        },
        "sam.union (%crd1, %ref1), (%crd2, %ref2) "
        ": (!sam.crd<1>, !sam.ref<1>), (!sam.crd<1>, !sam.ref<1>)",
        ("crd", "ref1", "ref2"),
    ),
    "load": Picture(
        "load B",
        {"ref": ("ref<2>", "0 S0 1 2 S0 N S1 D")},
        "sam.load %B at %ref : {tensor}, !sam.ref<2>",
        ("val",),
        MATRIX_TYPE,
    ),
    "locate": Picture(
        "locate B[1], dense",
        {"ref": ("ref<2>", "0 0 S0 3 S1 D"), "crd": ("crd<2>", "1 2 S0 0 S1 D")},
        "sam.locate %B[1] of %ref by %crd : {tensor}, !sam.ref<2>, !sam.crd<2>",
        ("ref",),
        DENSE_TYPE,
    ),
    "alu": Picture(
        "alu mul",
        {"val1": ("val<f32, 1>", "2 3 N S0 D"), "val2": ("val<f32, 1>", "5 7 4 S0 D")},
        "sam.alu mul(%val1, %val2) : (!sam.val<f32, 1>, !sam.val<f32, 1>) -> !sam.val<f32, 1>",
        ("val",),
    ),
    "constant": Picture(
        "constant 2",
        {"crd": ("crd<2>", "0 2 S0 1 S1 D")},
        "sam.constant 2.0 : f32 along %crd : !sam.crd<2>",
        ("val",),
    ),
    "reduce": Picture(
        "reduce add keep",
        {"val": ("val<f32, 2>", "1 2 S0 S0 4 S1 D")},
        "sam.reduce add keep %val : !sam.val<f32, 2>",
        ("val",),
    ),
    "reduce-drop": Picture(
        "reduce add drop",
        {"val": ("val<f32, 2>", "1 2 S0 S0 4 S1 D")},
        "sam.reduce add drop %val : !sam.val<f32, 2>",
        ("val",),
    ),
    "reduce-along": Picture(
        "reduce add along crd",
        {"val": ("val<f32, 2>", "1 2 S0 4 8 S1 D"), "crd": ("crd<2>", "0 3 S0 1 3 S1 D")},
        "sam.reduce add keep %val along %crd : !sam.val<f32, 2>, !sam.crd<2>",
        ("val", "crd"),
    ),
    "crd-drop": Picture(
        "crd_drop",
        {"outer": ("crd<1>", "0 1 2 S0 D"), "inner": ("crd<2>", "0 2 S0 S0 1 S1 D")},
        "sam.crd_drop %outer by %inner : !sam.crd<1>, !sam.crd<2>",
        ("outer", "inner"),
    ),
    "crd-hold": Picture(
        "crd_hold",
        {"outer": ("crd<1>", "4 5 6 S0 D"), "inner": ("crd<2>", "0 2 S0 S0 1 S1 D")},
        "sam.crd_hold %outer over %inner : !sam.crd<1>, !sam.crd<2>",
        ("outer", "inner"),
    ),
}


def program_of(picture: Picture) -> str:
    """A graph of the block alone, its streams written down."""
    lines = [
        f'    %{name} = sam.stream "{tokens}" : !sam.{kind}'
        for name, (kind, tokens) in picture.inputs.items()
    ]
    if "%signal" in picture.operation:
        lines.append("    %signal = sam.repeat_signal %crd : !sam.crd<2>")
    results = ", ".join(f"%result{number}" for number in range(len(picture.outputs)))
    if picture.operation.startswith(("sam.intersect", "sam.union")):
        results = f"%result0, %result1:{len(picture.outputs) - 1}"
    operation = picture.operation.replace("{tensor}", picture.tensor)
    lines.append(f"    {results} = {operation}")
    body = "\n".join(lines)
    parameter = f"%matrix: {picture.tensor}" if picture.tensor else ""
    reads = f" ins(%B = %matrix : {picture.tensor})" if picture.tensor else ""
    return f"func.func @block({parameter}) {{\n  sam.graph{reads} {{\n{body}\n  }}\n  return\n}}\n"


def outputs_of(picture: Picture) -> list[tuple[str, str, str]]:
    """Names, types and tokens of what comes out of a block."""
    with tempfile.TemporaryDirectory(prefix="ember-blocks-") as name:
        folder = Path(name)
        (folder / "block.mlir").write_text(program_of(picture))
        np.save(folder / "matrix.npy", np.array(MATRIX, np.float32))
        command = [str(find_tool("ember-run")), str(folder / "block.mlir")]
        command += [f"@{folder / 'matrix.npy'}"] * bool(picture.tensor)
        command.append(f"--streams={folder / 'streams'}")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        lines = (folder / "streams").read_text().splitlines()[-len(picture.outputs) :]
    found = []
    for name, line in zip(picture.outputs, lines, strict=True):
        head, _, tokens = line.partition(" = ")
        found.append((name, head.partition("!sam.")[2], tokens))
    return found


def picture_of(name: str) -> str:
    """The picture: streams on the left, the block, streams on the right."""
    picture = PICTURES[name]
    inputs = [(label, kind, tokens) for label, (kind, tokens) in picture.inputs.items()]
    outputs = outputs_of(picture)
    longest = max((len(tokens) for _, _, tokens in (*inputs, *outputs)), default=0)
    side = max(90, 7.3 * longest + 16)
    box = max(110, 7.5 * len(picture.title) + 24)
    height = 24 + 40 * max(len(inputs), len(outputs), 1)
    width = 2 * side + box
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" font-family="monospace" font-size="12">',
        f'<rect width="{width:.0f}" height="{height}" fill="white"/>',
        f'<rect x="{side:.0f}" y="6" width="{box:.0f}" height="{height - 12}" rx="6" '
        'fill="#f6f8fa" stroke="#1f2328"/>',
        f'<text x="{side + box / 2:.0f}" y="{height / 2 + 4:.0f}" text-anchor="middle" '
        f'font-weight="bold">{escape(picture.title)}</text>',
    ]
    for start, streams in ((0.0, inputs), (side + box, outputs)):
        for number, (label, kind, tokens) in enumerate(streams):
            y = 34 + 40 * number
            colour = {"c": "#0969da", "r": "#8250df", "v": "#bc4c00"}.get(kind[:1], "#57606a")
            lines += [
                f'<line x1="{start:.0f}" y1="{y}" x2="{start + side:.0f}" y2="{y}" '
                f'stroke="{colour}" stroke-width="2"/>',
                f'<path d="M{start + side - 7:.0f} {y - 4}l7 4l-7 4" fill="none" '
                f'stroke="{colour}" stroke-width="2"/>',
                f'<text x="{start + side / 2:.0f}" y="{y - 6}" text-anchor="middle" '
                f'fill="#1f2328">{escape(tokens)}</text>',
                f'<text x="{start + side / 2:.0f}" y="{y + 13}" text-anchor="middle" '
                f'fill="{colour}" font-size="10">{escape(f"{label}: {kind}")}</text>',
            ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> int:
    """Writes the pictures; 1 if one was out of date and is not to be written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    options = parser.parse_args()
    status = 0
    for name in PICTURES:
        path = FOLDER / f"sam-block-{name}.svg"
        drawn = picture_of(name)
        if (ROOT / path).exists() and (ROOT / path).read_text() == drawn:
            continue
        if options.check:
            print(f"error: {path} does not show what the block makes: scripts/sam_blocks.py")
            status = 1
            continue
        (ROOT / path).write_text(drawn)
        print(f"{path}: written")
    return status


if __name__ == "__main__":
    sys.exit(main())
