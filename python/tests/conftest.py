"""What the tests share: a kernel cache of their own, one PyTorch thread, hypothesis's profile,
the draw of cases, a fresh torch.compile.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import mistakes
import pytest
import torch
from drawn_cases import SEED, Value, cover
from ember import fallback, log

# Has an environment of its own.
collect_ignore = ["in_tensorflow"]

# Draws examples, too; without it, they are the same each time.

hypothesis.settings.register_profile(
    "ember",
    deadline=None,
    max_examples=25 if SEED or "EMBER_QUICK" in os.environ else 100,
    derandomize=not SEED,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ember")


# Ahead of hypothesis, which reads it.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if SEED:
        config.option.hypothesis_seed = SEED


mistakes.refuse()


def pytest_report_header() -> list[str]:
    return [f"cases drawn by EMBER_TEST_SEED={SEED}"] if SEED else []


def _values(item: pytest.Item) -> Iterator[Value]:
    """The values of an item's parameters: cases of one cross have the same objects."""
    parameters = getattr(item, "callspec", None)
    for name, value in parameters.params.items() if parameters else ():
        yield name, id(value)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes of each test's cross what is drawn."""
    if not SEED:
        return
    crosses: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        crosses[item.nodeid.partition("[")[0]].append(item)
    drawn: set[pytest.Item] = set()
    for name, cases in crosses.items():
        values = [frozenset(_values(case)) for case in cases]
        drawn.update(cover(list(zip(cases, values, strict=True)), f"{SEED} {name}"))
    config.hook.pytest_deselected(items=[item for item in items if item not in drawn])
    items[:] = [item for item in items if item in drawn]


def pytest_collection_finish() -> None:
    """Leaves what was imported out of later collections of garbage: PyTorch asks for many."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the tests away from the user's cache; kernels are shared between tests.

    They are shared between the processes of one run, too, each of which has a folder in one.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBER_CACHE_DIR", str(folder / "kernels"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_said_once() -> None:
    """The first kernel that cannot be built is a warning, and there is no telling whose it is."""
    log._warned.add(fallback.TOPIC)


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_small() -> Iterator[None]:
    """Tests' tensors are: their gradients would be PyTorch's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ember.torch.calls.region_call._is_small", lambda call, arguments: False)
        yield


@pytest.fixture
def fresh_dynamo() -> Iterator[None]:
    """torch.compile as if nothing had been compiled, before a test and after it."""
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with nothing in it, and no library remembered by this process."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("EMBER_CACHE_DIR", str(folder))
    monkeypatch.setattr("ember.compiler._loaded", {})
    return folder
