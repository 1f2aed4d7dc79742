"""The files of an export: what is in its folder, how it is written and checked.

    export.json       the manifest: versions, what the processor needs, inputs, outputs, kernels,
                      regions, and the size and hash of every other file
    program.pt2       the whole program with its weights, as torch.export.save writes it
    kernels/          of each kernel the library libNAME.so, its manifest libNAME.json, and the
                      program libNAME.mlir that it was built from

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ember.errors import ArgumentError, ExportError
from ember.ownership import why_not_for_root

FORMAT = 1
MANIFEST = "export.json"
PROGRAM = "program.pt2"
KERNELS = "kernels"


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write to, which becomes `folder` at the end, or is removed after an error.

    A former export in its place goes. Raises ArgumentError for a place that is taken.
    """
    check_place(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as aside:
        written = Path(aside) / "new"
        written.mkdir()
        yield written
        if folder.exists():
            os.rename(folder, Path(aside) / "former")
        os.rename(written, folder)


def check_place(folder: Path) -> None:
    """Raises ArgumentError unless an export may be written there."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ArgumentError(f"{folder} is not a folder: name another one to export to")
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise ArgumentError(f"{folder} has other files than an export's: name another folder")


def write_manifest(folder: Path, fields: dict[str, Any]) -> None:
    """Writes the manifest, with the sizes and hashes of the files that are there."""
    files = {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": _hash(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    manifest = {"format": FORMAT, **fields, "files": files}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest; raises ExportError if there is none that this version reads."""
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ExportError(f"there is no folder {folder}")
    try:
        manifest = json.loads(path.read_text())
    except FileNotFoundError:
        message = f"{folder} is not an export, which ember.export writes: it has no {MANIFEST}"
        raise ExportError(message) from None
    except (OSError, ValueError) as error:
        raise ExportError(f"{path} is damaged: {error}; export again") from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise ExportError(
            f"{path} has format {found!r}, and this version of Ember reads {FORMAT}: export again"
        )
    return dict(manifest)


def check_owners(folder: Path, manifest: dict[str, Any]) -> None:
    """Raises ExportError for root, if others may change a file: the folder holds code."""
    for name in (MANIFEST, *manifest["files"]):
        if reason := why_not_for_root(folder / name):
            raise ExportError(f"the export {folder} is not loaded: {reason}")


def check_files(folder: Path, manifest: dict[str, Any]) -> None:
    """Raises ExportError for a file that is missing or not as it was written."""
    for name, expected in manifest["files"].items():
        path = folder / name
        try:
            size = path.stat().st_size
            same = size == expected["bytes"] and _hash(path) == expected["sha256"]
        except OSError as error:
            raise ExportError(f"{path} is missing: {error}; copy the whole folder") from error
        if not same:
            what = f"it has {size} of {expected['bytes']} bytes"
            if size == expected["bytes"]:
                what = "its bytes are not those that were written"
            raise ExportError(f"{path} is damaged: {what}; copy it again, or export again")


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
