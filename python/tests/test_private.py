"""Private names of PyTorch may go away, one by one or all: what needs them is off, the rest right.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import ember
import pytest
import torch
from ember import diagnosis
from ember.torch.capture import private_names
from preloaded import run_python

PACKAGE = Path(ember.__file__).parent
# What importlib finds lacks a name while the package is imported; PyTorch itself is as it was.
HIDING = """
import importlib, sys, warnings
import torch
from unittest import mock

class Without:
    def __init__(self, value, path):
        self.value, self.path = value, path

    def __getattr__(self, name):
        if [name] == self.path:
            raise AttributeError(name)
        found = getattr(self.value, name)
        return Without(found, self.path[1:]) if name == self.path[0] else found

find = importlib.import_module

def found_anew(path):
    hidden, _, hidden_name = path.partition(":")
    *within, hidden_name = hidden_name.split(".")

    def found(name, package=None):
        module = find(name, package)
        return Without(module, [*within, hidden_name]) if name == hidden else module

    with mock.patch.object(importlib, "import_module", found):
        importlib.reload(private_names)
        return importlib.reload(private)

indices, offsets = torch.tensor([3, 1, 4, 1, 5]), torch.tensor([0, 2])
table = torch.arange(40, dtype=torch.float32).reshape(10, 4).requires_grad_()
expected = torch.stack([table[[3, 1]].sum(0), table[[4, 1, 5]].sum(0)]).detach()
counts = torch.bincount(indices, minlength=10).float().unsqueeze(1).expand(10, 4)
matrix = torch.eye(4).to_sparse_csr()

def check():
    module = torch.nn.EmbeddingBag.from_pretrained(table, mode="sum", freeze=False)

    def function(indices, offsets):
        bags = torch.nn.functional.embedding_bag(indices, table, offsets, mode="sum")
        return bags * 2 / 2

    for kernel in map(ember.compile, (module, function)):
        for _ in range(3):
            torch.testing.assert_close(kernel(indices, offsets), expected)
        weight = module.weight if kernel.original is module else table
        weight.grad = None
        kernel(indices, offsets).sum().backward()
        torch.testing.assert_close(weight.grad, counts)
    bag = torch.func.vmap(lambda rows: module(indices.unsqueeze(0)) + rows)(torch.zeros(2, 1, 4))
    assert bag.shape == (2, 1, 4)
    with ember.sparse_products():
        torch.testing.assert_close(torch.sparse.mm(matrix, table.T[:4]), table.T[:4])
    torch.compiler.reset()
"""
EACH = """
import ember
from ember.torch.capture import private
from ember.torch.capture import private_names
for path in sys.argv[1:]:
    found_anew(path)
    (feature,) = [one for one in private_names.FEATURES if path in one.names]
    assert private_names.missing(feature) == [path.replace(":", ".")] * feature.needs_all
    # Whichever name of a feature is missing, the same is done without it.
    if path == next(iter(feature.names)) or not feature.needs_all:
        check()
    print(path)
"""
# Deleted while the package is imported: PyTorch itself needs many of them afterwards.
ALL = """
for name in [name for name in sys.modules if name.split(".")[0] == "ember"]:
    del sys.modules[name]
deleted = []
for path in sys.argv[1:]:
    module, _, name = path.partition(":")
    *within, name = name.split(".")
    owner = importlib.import_module(module)
    for one in within:
        owner = getattr(owner, one)
    # A method is its class's, and importing the package asks PyTorch itself for one.
    if name in vars(owner) and name != "_dispatch_has_kernel_for_dispatch_key":
        deleted.append((owner, name, getattr(owner, name)))
        delattr(owner, name)
torch.__version__ = "2.16.0"
import ember
from ember.torch.capture import private
from ember.torch.capture import private_names
for owner, name, value in deleted:
    setattr(owner, name, value)
assert len(deleted) > 30 and len(private_names.features_off()) > 15
check()
"""


def run(program: str, folder: Path, paths: list[str]) -> str:
    """What the program prints; its interpreter has the package's folders and the tests' cache."""
    variables = {
        "PYTHONPATH": str(PACKAGE.parent),
        "EMBER_CACHE_DIR": os.environ["EMBER_CACHE_DIR"],
        "PATH": os.environ["PATH"],
    }
    done = run_python(HIDING + program, folder, variables, paths)
    assert done.returncode == 0, done.stderr
    return done.stdout


PATHS = [path for feature in private_names.FEATURES for path in feature.names]


def test_every_name_is_there_with_a_tested_release() -> None:
    if ".".join(torch.__version__.split(".")[:2]) not in private_names.TESTED_RELEASES:
        pytest.skip(f"PyTorch {torch.__version__} is not one of {private_names.TESTED_RELEASES}")
    assert not private_names.features_off()


def test_each_may_go_and_all(tmp_path: Path) -> None:
    assert run(EACH + ALL, tmp_path, PATHS).split() == PATHS


def test_the_doctor_says_what_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not list(diagnosis._private_names())
    monkeypatch.setitem(private_names.found, "torch._C:_is_tracing", private_names.ABSENT)
    (found,) = diagnosis._private_names()
    assert found.optional
    assert "torch._C._is_tracing" in found.line()
    assert private_names.DIRECT_CALLS.without in found.line()
    assert "short path of ember.compile: off" in found.line()


def _private_uses(tree: ast.Module) -> Iterator[str]:
    """What of PyTorch a module names that begins with an underscore."""
    of_torch = {"torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            of_torch |= {alias.asname or alias.name for alias in node.names}
            for name in (*(node.module or "").split("."), *(alias.name for alias in node.names)):
                if name.startswith("_"):
                    yield f"{node.module}: {name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                names = alias.name.split(".")
                if names[0] == "torch":
                    of_torch.add(alias.asname or "torch")
                    yield from (f"{alias.name}" for name in names if name.startswith("_"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            if node.attr.startswith("__"):
                continue
            owner: ast.expr = node.value
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            if isinstance(owner, ast.Name) and owner.id in of_torch:
                yield ast.unparse(node)


def test_one_module_alone_names_what_is_private() -> None:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        if path.name != "private.py" and (uses := list(_private_uses(ast.parse(path.read_text())))):
            found[str(path.relative_to(PACKAGE))] = uses
    assert not found
    own = PACKAGE / "torch" / "capture" / "private.py"
    assert "forward_ad._current_level" in _private_uses(ast.parse(own.read_text()))
