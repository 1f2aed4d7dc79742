"""ember.export and ember.load: values without the compiler and the model's code, and errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import json
import os
import pickle
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
from ember import processor
from exported_models import Case, Scores, cases
from preloaded import run_python
from torch import Tensor, nn
from torch.export import Dim

NAMES = ["recommender", "convolution", "scores"]

# Loads a folder and compares what it returns with what was stored beside it.
OTHER_PROCESS = """
import sys, torch, ember
from ember.compiler import find_tool
try:
    find_tool("emberc")
except ember.CompilerNotFoundError:
    pass
else:
    raise SystemExit("there is an emberc")
program = ember.load(sys.argv[1])
for arguments, expected in torch.load(sys.argv[2]):
    torch.testing.assert_close(program(*arguments), expected)
assert not any(part.call.failed for part in program.report.compiled)
print(len(program.kernels()), [name for name in sys.modules if name == "exported_models"])
"""


def exported(case: Case, folder: Path, **options: Any) -> Path:
    return ember.export(
        case.model, case.example, dynamic_shapes=case.dynamic_shapes, folder=folder, **options
    )


def operators(program: ember.LoadedProgram) -> set[str]:
    """What PyTorch computes."""
    graph = program.module.graph
    return {str(node.target) for node in graph.nodes if node.op == "call_function"}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export that tests only read."""
    return exported(cases()["scores"], tmp_path_factory.mktemp("scores") / "export")


@pytest.fixture
def copied(scores: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    folder = tmp_path / "copied"
    subprocess.run(["cp", "-r", scores, folder], check=True)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_an_export_returns_what_the_model_returns(name: str, tmp_path: Path) -> None:
    case = cases()[name]
    folder = exported(case, tmp_path / "export")
    program = ember.load(folder)
    assert {part.kind for part in program.report.compiled} == case.kinds
    for batch in [case.example, *case.others]:
        with torch.no_grad():
            torch.testing.assert_close(program(*batch), case.model(*batch))
    assert not any(part.call.failed for part in program.report.compiled)
    # Nothing is computed twice, by a kernel and by PyTorch.
    called = operators(program)
    assert not [name for name in called if "embedding" in name or "index_" in name]
    used = {library for part in program.report.compiled for library in part.call.kernels()}
    assert used == set(program.kernels().values())
    assert {library.path.parent.parent for library in used} == {folder}


@pytest.mark.parametrize("name", NAMES)
def test_neither_compiler_nor_code_is_needed(name: str, tmp_path: Path) -> None:
    case = cases()[name]
    folder = exported(case, tmp_path / "export")
    with torch.no_grad():
        pairs = [(batch, case.model(*batch)) for batch in case.others]
    torch.save(pairs, tmp_path / "pairs.pt")
    # A package without a build beside it, as an installed one without programs.
    package = tmp_path / "site" / "ember"
    package.parent.mkdir()
    subprocess.run(["cp", "-r", Path(ember.__file__).parent, package], check=True)
    done = run_python(
        OTHER_PROCESS,
        tmp_path,
        {
            "PYTHONPATH": str(package.parent),
            "PATH": str(tmp_path),
            "EMBER_BIN_DIR": str(tmp_path),
            "EMBER_CACHE_DIR": str(tmp_path / "empty"),
        },
        (folder, tmp_path / "pairs.pt"),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "[]"]
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_one_size(mode: str, tmp_path: Path) -> None:
    """What torch.export makes of indices (bags, lookups a bag) goes into the kernel's call."""
    model = nn.EmbeddingBag(50, 8, mode=mode).eval()
    sizes = ({0: Dim("bags"), 1: Dim("lookups")},)
    example = torch.randint(0, 50, (4, 3))
    folder = ember.export(model, (example,), dynamic_shapes=sizes, folder=tmp_path / "export")
    program = ember.load(folder)
    called = operators(program)
    assert not [name for name in called if "arange" in name or "reshape" in name]
    (kernel,) = program.kernels().values()
    assert kernel.path.name == "libbag_0.so"
    for shape in ((4, 3), (2, 2), (30, 7)):
        indices = torch.randint(0, 50, shape)
        with torch.no_grad():
            torch.testing.assert_close(program(indices), model(indices))
    (part,) = program.report.compiled
    assert part.call.kernels() == [kernel]


def test_tied_tables_and_results_of_any_structure(tmp_path: Path) -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.EmbeddingBag(50, 8, mode="sum")
            self.other = nn.EmbeddingBag(50, 8, mode="sum")
            self.other.weight = self.one.weight
            self.register_buffer("scale", torch.full((8,), 2.0), persistent=False)

        def forward(self, batch: dict[str, Tensor], factor: float) -> dict[str, Any]:
            scaled = self.one(batch["one"]) * self.scale * factor
            return {"list": [scaled, None, 3], "tuple": (self.other(batch["other"]),)}

    def batch(size: int) -> tuple[Any, ...]:
        return {name: torch.randint(0, 50, (size, 4)) for name in ("one", "other")}, 1.5

    model = Two().eval()
    sizes = ({name: {0: Dim.DYNAMIC} for name in ("one", "other")}, None)
    folder = ember.export(model, batch(5), dynamic_shapes=sizes, folder=tmp_path / "export")
    program = ember.load(folder)
    assert [part.kind for part in program.report.compiled] == ["bag", "bag"]
    assert list(program.kernels()) == ["bag_0"]
    for size in (5, 2, 40):
        arguments = batch(size)
        with torch.no_grad():
            torch.testing.assert_close(program(*arguments), model(*arguments))


def test_calls_from_several_threads(scores: Path) -> None:
    program = ember.load(scores)
    batches = [Scores.batch(size) for size in range(2, 30)]
    expected = [program(*batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            found = list(pool.map(lambda batch: program(*batch), batches))
            torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_while_ember_is_disabled(scores: Path, tmp_path: Path) -> None:
    case = cases()["scores"]
    program = ember.load(scores)
    with ember.disabled(), torch.no_grad():
        torch.testing.assert_close(program(*case.example), case.model(*case.example))
        torch.testing.assert_close(ember.load(scores)(*case.example), case.model(*case.example))
        with pytest.raises(ember.ArgumentError, match="disabled"):
            exported(case, tmp_path / "export")


def test_weights_are_stored_and_stay(tmp_path: Path) -> None:
    case = cases()["recommender"]
    before = {name: weight.clone() for name, weight in case.model.state_dict().items()}
    program = ember.load(exported(case, tmp_path / "export"))
    stored = dict(program.module.named_parameters())
    assert stored.keys() == before.keys()
    for name, weight in before.items():
        torch.testing.assert_close(stored[name].data, weight, rtol=0, atol=0)
        assert not stored[name].requires_grad
    torch.testing.assert_close(case.model.state_dict(), before, rtol=0, atol=0)
    assert not case.model.training


def test_keyword_arguments(tmp_path: Path) -> None:
    model = Scores().eval()
    head, relation, tail = Scores.batch(9)
    sizes = {0: Dim("batch")}
    folder = ember.export(
        model,
        (head,),
        {"relation": relation, "tail": tail},
        dynamic_shapes={"head": sizes, "relation": sizes, "tail": sizes},
        folder=tmp_path / "export",
    )
    program = ember.load(folder)
    head, relation, tail = Scores.batch(4)
    with torch.no_grad():
        expected = model(head, relation, tail)
    torch.testing.assert_close(program(head, tail=tail, relation=relation), expected)


def test_the_manifest_tells_what_is_there(scores: Path) -> None:
    manifest = json.loads((scores / "export.json").read_text())
    assert manifest["ember"] == ember.__version__
    assert manifest["torch"] == torch.__version__
    assert [one["name"] for one in manifest["inputs"]] == ["head", "relation", "tail"]
    (output,) = manifest["outputs"]
    assert output["type"] == "float32"
    assert output["shape"] == manifest["inputs"][0]["shape"]
    (size,) = output["shape"]
    assert isinstance(size, str), "the batch changes"
    (kernel,) = manifest["kernels"]
    assert (scores / kernel["library"]).is_file()
    written = {str(path.relative_to(scores)) for path in scores.rglob("*") if path.is_file()}
    assert written == {*manifest["files"], "export.json"}


@pytest.mark.parametrize("name", ["export.json", "program.pt2", "kernels"])
def test_root_loads_nothing_that_others_may_change(
    name: str, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copied / name).chmod(0o777)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(ember.ExportError, match="and root would run its code") as caught:
        ember.load(copied)
    assert str(caught.value).startswith(f"the export {copied} is not loaded: ")
    monkeypatch.setenv("EMBER_LOAD_ANY_OWNER", "1")
    assert ember.load(copied).report.compiled


def test_sizes_that_were_not_exported_are_refused(tmp_path: Path) -> None:
    model = Scores().eval()
    program = ember.load(ember.export(model, Scores.batch(6), folder=tmp_path / "export"))
    with torch.no_grad():
        batch = Scores.batch(6)
        torch.testing.assert_close(program(*batch), model(*batch))
    with pytest.raises((AssertionError, RuntimeError), match="6"):
        program(*Scores.batch(7))


def test_bad_indices_name_the_weights(scores: Path) -> None:
    head, relation, tail = Scores.batch(5)
    head[3] = 40
    with pytest.raises(IndexError, match=r"index 40 at position 3 .*'entities\.weight'"):
        ember.load(scores)(head, relation, tail)


def test_gradients_are_refused(tmp_path: Path) -> None:
    case = cases()["convolution"]
    program = ember.load(exported(case, tmp_path / "export"))
    x, edges, weights = case.example
    with pytest.raises(ember.UnsupportedError, match="no gradients"):
        program(x.clone().requires_grad_(), edges, weights)
    assert not program(x, edges, weights)["nodes"].requires_grad
    with torch.no_grad():
        program(x.clone().requires_grad_(), edges, weights)


def test_types_that_the_example_had_not_are_left_to_pytorch(tmp_path: Path) -> None:
    """A table that is an argument may lie otherwise than that of the example did."""

    class Bags(nn.Module):
        def forward(self, table: Tensor, indices: Tensor) -> Tensor:
            return nn.functional.embedding_bag(indices, table, mode="sum")

    indices = torch.randint(0, 9, (4, 3))
    folder = ember.export(Bags().eval(), (torch.randn(9, 8), indices), folder=tmp_path / "export")
    program = ember.load(folder)
    turned = torch.randn(8, 9).t()
    torch.testing.assert_close(program(turned, indices), Bags()(turned, indices))
    (part,) = program.report.compiled
    # The kernel for the others is there as before.
    assert not part.call.failed
    table = torch.randn(9, 8)
    torch.testing.assert_close(program(table, indices), Bags()(table, indices))


def test_copies_and_pickles(scores: Path) -> None:
    program = ember.load(scores)
    batch = Scores.batch(8)
    for other in (copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        torch.testing.assert_close(other(*batch), program(*batch), rtol=0, atol=0)


def test_an_export_takes_the_place_of_a_former_one(tmp_path: Path) -> None:
    case = cases()["scores"]
    folder = exported(case, tmp_path / "export")
    with torch.no_grad():
        case.model.get_parameter("entities.weight").mul_(2)
    exported(case, folder)
    with torch.no_grad():
        torch.testing.assert_close(ember.load(folder)(*case.example), case.model(*case.example))
    assert os.listdir(tmp_path) == ["export"]


@pytest.mark.parametrize("target", ["cpu", "dae-threads"])
def test_options_of_kernels(target: str, tmp_path: Path) -> None:
    case = cases()["recommender"]
    options = ember.Options(target=target, opt_level=1)
    program = ember.load(exported(case, tmp_path / "export", options=options))
    (kernel,) = program.kernels().values()
    assert kernel.manifest["target"] == target
    assert kernel.manifest["opt_level"] == 1
    with torch.no_grad():
        torch.testing.assert_close(program(*case.example), case.model(*case.example))


@pytest.mark.skipif(processor.machine() != "x86_64", reason="names a processor of x86-64")
@pytest.mark.parametrize("name", ["x86-64-v3", "x86-64-v4"])
def test_kernels_for_another_processor(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = exported(cases()["scores"], tmp_path / "export", options=ember.Options(cpu=name))
    needs = json.loads((folder / "export.json").read_text())["needs"]
    assert "avx2" in needs
    assert ("avx512f" in needs) == (name == "x86-64-v4")
    monkeypatch.setattr("ember.cache.host_cpu", lambda: "x86_64 flags : sse sse2 avx")
    with pytest.raises(ember.ExportError, match="avx2"):
        ember.load(folder)


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    case = cases()["scores"]
    folder = tmp_path / "export"
    with pytest.raises(ember.ArgumentError, match="training mode"):
        ember.export(Scores(), case.example, folder=folder)
    with pytest.raises(ember.ArgumentError, match=r"nn\.Module"):
        ember.export(torch.nn.functional.relu, case.example, folder=folder)  # type: ignore[arg-type]
    with pytest.raises(ember.ArgumentError, match="args must be a tuple"):
        ember.export(case.model, case.example[0], folder=folder)
    with pytest.raises(ember.ArgumentError, match="abacus"):
        exported(case, folder, options=ember.Options(cpu="abacus"))
    with pytest.raises(ember.UnsupportedError, match="nothing to compile: Linear"):
        ember.export(nn.Linear(3, 4).eval(), (torch.randn(2, 3),), folder=folder)
    with pytest.raises(ember.UnsupportedError, match="is excluded"):
        exported(case, folder, excluded=("row_score", "statements"))
    with pytest.raises(ember.UnsupportedError, match="no lookups"):
        ember.export(case.model, Scores.batch(0), folder=folder)
    assert not os.listdir(tmp_path)
    (folder / "sub").mkdir(parents=True)
    with pytest.raises(ember.ArgumentError, match="other files"):
        exported(case, folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(ember.ArgumentError, match="not a folder"):
        exported(case, tmp_path / "file")


def _remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _flip(name: str) -> Callable[[Path], None]:
    def flip(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)

    return flip


def _cut(name: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, 100)


def _set(**fields: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "export.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_remove("export.json"), r"is not an export.*no export\.json"),
        (_cut("export.json"), r"export\.json is damaged"),
        (_set(format=2), "format 2"),
        (_set(ember="9.9"), r"exported by Ember 9\.9"),
        (_set(machine="pdp11"), "are for pdp11"),
        (_set(needs=["abacus"]), "processor has not: abacus"),
        (_remove("program.pt2"), r"program\.pt2 is missing"),
        (_flip("program.pt2"), r"program\.pt2 is damaged"),
        (_cut("program.pt2"), r"program\.pt2 is damaged: it has 100 of"),
        (_remove("kernels/librow_score_0.so"), r"librow_score_0\.so is missing"),
        (_flip("kernels/librow_score_0.so"), r"librow_score_0\.so is damaged"),
        (_flip("kernels/librow_score_0.json"), r"librow_score_0\.json is damaged"),
        (_set(regions=[], torch="1.0"), r"exported with PyTorch 1\.0"),
        (_set(kernels="none"), r"export\.json is damaged"),
    ],
)
def test_damaged_exports(damage: Callable[[Path], None], message: str, copied: Path) -> None:
    damage(copied)
    with pytest.raises(ember.ExportError, match=message):
        ember.load(copied)


def test_no_export(tmp_path: Path) -> None:
    with pytest.raises(ember.ExportError, match="there is no folder"):
        ember.load(tmp_path / "none")
    with pytest.raises(ember.ExportError, match="is not an export"):
        ember.load(tmp_path)


def test_a_failed_export_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("ember.torch.export.export.write_manifest", fail)
    with pytest.raises(OSError, match="the disk is full"):
        exported(cases()["recommender"], tmp_path / "export")
    assert not os.listdir(tmp_path)


def test_the_example_is_left_as_it_is(tmp_path: Path) -> None:
    case = cases()["recommender"]
    before = copy.deepcopy(case.example)
    state = torch.get_rng_state()
    exported(case, tmp_path / "export")
    torch.testing.assert_close(case.example, before, rtol=0, atol=0)
    assert torch.equal(torch.get_rng_state(), state)
