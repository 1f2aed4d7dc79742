"""ember.export: a model in a folder, with its kernels built, to be run without the compiler.

torch.export captures the model; what partition finds in the captured program becomes kernels. The
program is stored whole, as PyTorch stores it: ember.load finds the same regions in it again, and
takes their kernels from the folder.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import json
import logging
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

import ember
from ember import cache, configuration, processor
from ember.compiler import Notation, Options, run_compiler
from ember.errors import ArgumentError, UnsupportedError
from ember.kernel import Library
from ember.torch.calls.sparse_operand import has_sparse
from ember.torch.capture import private
from ember.torch.capture.compiled import original_of
from ember.torch.export.folder import KERNELS, PROGRAM, check_place, new_folder, write_manifest
from ember.torch.graph.operations import value_of
from ember.torch.graph.partition import partition
from ember.torch.report.report import Report, Reports
from ember.torch.settings import Settings, kinds_of

_log = logging.getLogger(__name__)
_ADVICE = (
    "and torch.export cannot store that: keep its indices and values as tensors, and add rows up "
    "with index_add, which becomes a kernel"
)


def export(
    model: nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    folder: str | os.PathLike[str],
    options: Options | None = None,
    excluded: Iterable[str] = (),
) -> Path:
    """Compiles a model ahead of time into a folder that ember.load reads; returns the folder.

    model, args, kwargs, dynamic_shapes: as torch.export.export has them; of what ember.compile or
    torch.compile returned, the original is exported. The model must be in evaluation mode: what is
    exported computes no gradients. Sizes are those of the example unless dynamic_shapes says that
    they change. The example is run once, on a copy of the weights, and must have lookups: the
    kernels that it needs are those of the folder.

    folder: is written beside its place and renamed at the end; a former export there goes.
    options: target, level and processor of the kernels, such as Options(cpu="x86-64-v3") for
    machines unlike this one. excluded: kinds of operations that are left to PyTorch.

    Raises ArgumentError, CompileError, UnsupportedError when there is nothing to compile, and
    what torch.export.export raises.
    """
    model = original_of(model)  # type: ignore[assignment]
    _check(model, args)
    _check_sparse(model, [*args, *(kwargs or {}).values()])
    options = options or Options()
    if options.cpu is not None and options.cpu not in _levels():
        raise ArgumentError(
            f"what the processor {options.cpu!r} has is not known; export for this machine's, cpu "
            f"None, or for all from one of these on: {', '.join(_levels())}"
        )
    folder = Path(os.path.abspath(folder))
    check_place(folder)
    with torch.no_grad():
        program = torch.export.export(
            model, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes
        )
    with new_folder(folder) as written:
        torch.export.save(program, written / PROGRAM)
        # What is stored is what kernels are found in, here as in ember.load.
        stored = torch.export.load(written / PROGRAM).module()
        # Kernels for another processor would not run here: the example takes this one's.
        here = dataclasses.replace(options, cpu=None)
        settings = Settings(raises=True, excluded=kinds_of(excluded), kernel_options=here)
        inputs = [
            {"name": node.name, **_described(node)}
            for node in stored.graph.find_nodes(op="placeholder")
        ]
        report = partition(stored, settings)
        _run(stored, args, kwargs or {})
        names = _names(report)
        if not names:
            raise _nothing(model, report)
        needs = _write_kernels(written / KERNELS, names, options)
        write_manifest(
            written,
            {
                "ember": ember.__version__,
                "torch": torch.__version__,
                "machine": processor.machine(),
                "needs": needs,
                "options": _fields(options),
                "excluded": list(settings.excluded),
                "inputs": inputs,
                "outputs": _outputs(stored),
                "kernels": [_kernel(library, name) for library, name in names.items()],
                "regions": _regions(report, names),
            },
        )
    _log.info("exported %d kernels and the program to %s", len(names), folder)
    return folder


def _regions(report: Report, names: Mapping[Library, str]) -> list[dict[str, Any]]:
    """What kernels compute, as the manifest has it."""
    return [
        {
            "kind": part.kind,
            "title": part.title,
            "nodes": list(part.operations),
            "kernels": [names[library] for library in part.call.kernels()],
            "arguments": dict(part.call.names),
        }
        for part in report.compiled
    ]


def _check(model: Any, args: Any) -> None:
    """Raises ArgumentError for what cannot be exported."""
    if not isinstance(model, nn.Module):
        kind = type(model).__name__
        raise ArgumentError(f"a {kind} cannot be exported: put it in the forward of an nn.Module")
    if not isinstance(args, list | tuple):
        kind = type(args).__name__
        raise ArgumentError(f"args must be a tuple of the model's arguments, not a {kind}")
    if model.training:
        raise ArgumentError("the model is in training mode: call its eval() before exporting it")
    if configuration.is_disabled():
        raise ArgumentError("Ember is disabled: there are no kernels to export")


def _check_sparse(model: nn.Module, arguments: Sequence[Any]) -> None:
    """Raises ArgumentError for sparse tensors that PyTorch does not store in programs."""
    stored = [*model.named_parameters(), *model.named_buffers()]
    stored += [
        (f"{name}.{attribute}".lstrip("."), value)
        for name, module in model.named_modules()
        for attribute, value in vars(module).items()
    ]
    for name, value in stored:
        if has_sparse(value):
            raise ArgumentError(f"the model's {name} is sparse, {_ADVICE}")
    for place, value in enumerate(private.leaves(list(arguments))):
        if has_sparse(value) and value.layout is not torch.sparse_coo:
            raise ArgumentError(f"argument {place} is sparse, {_ADVICE}")


def _run(module: GraphModule, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Builds the kernels that the example needs; its tensors and the RNG stay as they are."""
    args, kwargs = private.with_tensors(torch.clone, (tuple(args), dict(kwargs)))
    state = torch.get_rng_state()
    try:
        with torch.no_grad():
            module(*args, **kwargs)
    finally:
        torch.set_rng_state(state)


def _names(report: Report) -> dict[Library, str]:
    """The kernels by the regions that need them first: bags_0, bag_0, bag_1."""
    names: dict[Library, str] = {}
    count: Counter[str] = Counter()
    for part in report.compiled:
        libraries = part.call.kernels()
        if not libraries:
            _log.warning(
                "%s (%s) is left to PyTorch: the example needs no kernel for it",
                part.title,
                part.operations[-1],
            )
        for library in libraries:
            if library not in names:
                names[library] = f"{part.kind}_{count[part.kind]}"
                count[part.kind] += 1
    return names


def _nothing(model: nn.Module, report: Report) -> UnsupportedError:
    if report.compiled:
        return UnsupportedError("nothing to compile: the example has no lookups")
    return UnsupportedError(Reports([report]).nothing(type(model).__qualname__))


def _write_kernels(folder: Path, names: Mapping[Library, str], options: Options) -> list[str]:
    """Writes the kernels for the options' processor; returns what they need of it."""
    folder.mkdir()
    needs: set[str] = set()
    for library, name in names.items():
        path = folder / f"lib{name}.so"
        assert library.program is not None
        path.with_suffix(".mlir").write_text(library.program)
        words = [*options.arguments(), f"--cache-dir={cache.folder()}", "-o", str(path)]
        run_compiler(library.program, words)
        manifest = json.loads(path.with_suffix(".json").read_text())
        needs.update(processor.needed(manifest["features"]))
    return sorted(needs if options.cpu is None else _levels()[options.cpu])


def _levels() -> Mapping[str, Sequence[str]]:
    """The processors, besides this machine's, that kernels can be exported for."""
    return processor.LEVELS.get(processor.machine(), {})


def _fields(options: Options) -> dict[str, Any]:
    """The options as JSON has them; the profile's folder is this machine's."""
    fields = dataclasses.asdict(options)
    return {name: value for name, value in fields.items() if name != "profile"}


def _kernel(library: Library, name: str) -> dict[str, Any]:
    kernel: dict[str, Any] = {
        "name": name,
        "library": f"{KERNELS}/lib{name}.so",
        "entries": list(library.entries),
    }
    if isinstance(source := library.source, Notation):
        kernel["statements"] = {"text": source.text, "arrays": list(source.arrays)}
    return kernel


def _outputs(module: GraphModule) -> list[dict[str, Any]]:
    (returned,) = module.graph.output_node().args
    return [_described(one) for one in private.leaves(returned)]


def _described(node: Any) -> dict[str, Any]:
    """A value's type and shape; a size that changes from call to call is a symbol."""
    value = value_of(node)
    if not isinstance(value, Tensor):
        return {"type": type(value).__name__}
    return {
        "type": str(value.dtype).removeprefix("torch."),
        "shape": [size if isinstance(size, int) else str(size) for size in value.shape],
    }
