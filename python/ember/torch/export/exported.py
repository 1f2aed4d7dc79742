"""ember.load: runs a model that ember.export has stored, without the compiler and its Python code.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import ember
from ember import processor
from ember.compiler import Notation, Options
from ember.errors import CompileError, ExportError, UnsupportedError
from ember.kernel import Library
from ember.torch.capture import private
from ember.torch.export.folder import (
    MANIFEST,
    PROGRAM,
    check_files,
    check_owners,
    read_manifest,
)
from ember.torch.graph.partition import partition
from ember.torch.report.report import Report
from ember.torch.settings import Settings


@dataclass(frozen=True, eq=False)
class StoredKernels(Options):
    """The options that kernels were built with, and these by what they were built from.

    folder: where they are stored, for messages.
    """

    folder: str = ""
    stored: Mapping[str | Notation, Library] = field(default_factory=dict)

    # Equal options of two exports are not the same kernels.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def load(self, program: str | Notation) -> Library:
        """The kernel of a program; raises CompileError if it is not stored."""
        library = self.stored.get(program)
        if library is None:
            raise CompileError(
                f"{self.folder} has no kernel for these types, lengths and layouts: its example "
                "had others"
            )
        return library


class LoadedProgram:
    """A stored model: call it as the original, with any sizes that its dynamic_shapes allow.

    It computes no gradients. Callable from several threads. Copies and pickles by its folder.
    Attributes: folder, manifest (what export.json says), module (the program, whose parameters
    and buffers are the model's), report (what kernels compute).
    """

    def __init__(self, folder: Path) -> None:
        """Raises ExportError for a folder that cannot be used here."""
        self.folder = folder
        self.manifest = read_manifest(folder)
        try:
            _check_versions(folder, self.manifest)
            check_owners(folder, self.manifest)
            check_files(folder, self.manifest)
            self._kernels = _libraries(folder, self.manifest)
        except (KeyError, TypeError, AttributeError) as error:
            raise ExportError(f"{folder / MANIFEST} is damaged: {error!r}; export again") from error
        self.module = _stored_module(folder, self.manifest).requires_grad_(False)
        fields: dict[str, Any] = self.manifest["options"]
        stored = {library.source or "": library for library in self._kernels.values()}
        options = StoredKernels(**fields, folder=str(folder), stored=stored)
        excluded = tuple(self.manifest["excluded"])
        self.report: Report = partition(
            self.module, Settings(excluded=excluded, kernel_options=options)
        )
        found = [[part.kind, list(part.operations)] for part in self.report.compiled]
        if found != [[one["kind"], one["nodes"]] for one in self.manifest["regions"]]:
            raise ExportError(
                f"{folder} was exported with PyTorch {self.manifest['torch']}; PyTorch "
                f"{torch.__version__} reads its program otherwise: export again"
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the model returns for these arguments.

        Raises what the exported program raises for arguments that it was not exported for, the
        kernels' errors, and UnsupportedError for arguments that need a gradient.
        """
        if torch.is_grad_enabled() and any(
            isinstance(one, Tensor) and one.requires_grad for one in private.leaves((args, kwargs))
        ):
            raise UnsupportedError(
                "an exported program computes no gradients: call it under torch.no_grad(), or "
                "compile the model with ember.compile"
            )
        with torch.no_grad():
            return self.module(*args, **kwargs)

    def kernels(self) -> dict[str, Library]:
        """The stored kernels by their names."""
        return dict(self._kernels)

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.folder,)

    def __repr__(self) -> str:
        return f"ember.load({str(self.folder)!r})"


def load(folder: str | os.PathLike[str]) -> LoadedProgram:
    """Reads what ember.export wrote: a program that returns what the model does.

    Neither emberc nor the model's Python code is needed. A folder holds code: load those that you
    trust; root is refused those that others may change, unless EMBER_LOAD_ANY_OWNER=1. Raises
    ExportError for such a folder, and one that is no export, is damaged or incomplete, or was made
    for another processor or version.
    """
    return LoadedProgram(Path(os.path.abspath(folder)))


def _check_versions(folder: Path, manifest: dict[str, Any]) -> None:
    if manifest["ember"] != ember.__version__:
        raise ExportError(
            f"{folder} was exported by Ember {manifest['ember']}, and this is Ember "
            f"{ember.__version__}: export again"
        )
    if manifest["machine"] != processor.machine():
        raise ExportError(
            f"the kernels in {folder} are for {manifest['machine']}, and this machine is "
            f"{processor.machine()}: export there"
        )
    if missing := processor.missing(manifest["needs"]):
        raise ExportError(
            f"the kernels in {folder} need what this processor has not: {', '.join(missing)}; "
            "export for it, as with ember.Options(cpu='x86-64-v3')"
        )


def _libraries(folder: Path, manifest: dict[str, Any]) -> dict[str, Library]:
    """The kernels by their names."""
    options = Options(**manifest["options"])
    libraries = {}
    for kernel in manifest["kernels"]:
        path = folder / kernel["library"]
        try:
            library = Library(path)
        except CompileError as error:
            raise ExportError(f"{error}; export again") from error
        if (statements := kernel.get("statements")) is None:
            library.source = path.with_suffix(".mlir").read_text()
        else:
            library.source = Notation(statements["text"], tuple(statements["arrays"]))
        library.options = options
        libraries[kernel["name"]] = library
    return libraries


def _stored_module(folder: Path, manifest: dict[str, Any]) -> torch.fx.GraphModule:
    try:
        program = torch.export.load(folder / PROGRAM)
    # What PyTorch raises depends on what of the file it does not understand.
    except Exception as error:
        raise ExportError(
            f"PyTorch {torch.__version__} cannot read {folder / PROGRAM}, which PyTorch "
            f"{manifest['torch']} wrote: {error}"
        ) from error
    return program.module()
