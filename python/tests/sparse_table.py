"""The table of docs/sparse-kernels.md: what of each kernel and format is decoupled, and why not.

    PYTHONPATH=python python python/tests/sparse_table.py      writes the table into the page

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ember.compiler import find_tool
from sparse_formats import FORMATS, Format
from sparse_kernels import KERNELS, UPSTREAM_FAILS, Kernel, program, sparsify

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sparse-kernels.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
LOOP = re.compile(r"^( *)(?:%\S+ = )?(slc\.for|scf\.for|scf\.while)\b")
REMARK = re.compile(r"^[^:]+:(\d+):\d+: remark: (loop[^:]*): (.*)$")
# Reasons as the table words them, where the remark is long or names what only one format has.
SHORT = (
    (r"an 'scf.while' traverses no range.*", "`while` traverses no range"),
    (r"it loads nothing new from read-only memory.*", "loads nothing new"),
    (r"its bounds are computed by the execute unit", "bounds of the execute unit"),
    (
        r"it carries a value of type '!sparse_tensor\.storage_specifier.*",
        "carries sizes of a sparse tensor",
    ),
    # The sparsifier's own functions have their types in their names.
    (r"'(_[a-z_]+_)\w+'", r"'\1...'"),
)


def loops(text: str) -> str:
    """The loops of the function "kernel", those of the access unit in bold: **for**(while)."""
    body = text[text.index("func.func @kernel(") :].splitlines()
    written, depths = "", [-1]
    for line in body[1:]:
        if line == "  }":
            break
        if match := LOOP.match(line):
            depth = len(match[1])
            name = match[2].split(".")[1]
            closed = 0
            while depths[-1] >= depth:
                depths.pop()
                closed += 1
            written += ")" * (closed - 1) + " " if closed else "(" * (len(depths) > 1)
            written += f"**{name}**" if match[2].startswith("slc") else name
            depths.append(depth)
    return written + ")" * (len(depths) - 2)


def reasons(remarks: str, text: str, kind: str) -> str:
    """Why loops of the function "kernel" were not "offloaded" or "vectorised"."""
    first = text[: text.index("func.func @kernel(")].count("\n")
    found = [
        match[3]
        for match in map(REMARK.match, remarks.splitlines())
        if match and match[2].endswith(kind) and int(match[1]) > first
    ]
    for pattern, replacement in SHORT:
        found = [re.sub(pattern, replacement, text) for text in found]
    return "; ".join(dict.fromkeys(found)).replace("'", "`")


def row(kernel: Kernel, form: Format, folder: Path) -> tuple[str, ...]:
    """The columns behind kernel and format."""
    if failure := UPSTREAM_FAILS.get((kernel.name, form.name)):
        return ("", f"upstream's sparsifier {failure}", "")
    source = folder / f"{kernel.name}-{form.name}.mlir"
    sparsify(program(kernel, form, "f32", "index"), source)
    outputs, remarks = [], []
    for passes in (["--scf-to-slc"], ["--scf-to-slc", "--optimize=vector-length=8"]):
        done = subprocess.run(
            [find_tool("ember-opt"), *passes, source], capture_output=True, text=True, check=True
        )
        outputs.append(done.stdout)
        remarks.append(done.stderr)
    text = source.read_text()
    vectorised = "slcv.vec_for" in outputs[1][outputs[1].index("func.func @kernel(") :]
    refused = reasons(remarks[1], text, "vectorised")
    return (
        loops(outputs[0]),
        reasons(remarks[0], text, "offloaded"),
        refused or ("yes" if vectorised else ""),
    )


def table() -> str:
    """All kernels and formats; formats with equal rows share one."""
    pairs = [
        (kernel, form)
        for kernel in KERNELS.values()
        for form in FORMATS.values()
        if kernel.rank == form.rank
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda pair: row(*pair, Path(folder)), pairs))
    grouped: dict[tuple[str, ...], list[str]] = {}
    for (kernel, form), columns in zip(pairs, rows, strict=True):
        grouped.setdefault((kernel.name, *columns), []).append(form.name)
    lines = [
        "| kernel | formats | loops | not offloaded | vectorised |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {', '.join(forms)} | {' | '.join(columns)} |"
        for (name, *columns), forms in grouped.items()
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + table() + text[end:])


if __name__ == "__main__":
    main()
