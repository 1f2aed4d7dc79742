"""What a user of the backend chooses.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ember.compiler import Options
from ember.errors import ArgumentError

RESTS = ("eager", "inductor")
# What ember.explain calls the parts of a model that become kernels.
KINDS = (
    "bag",
    "bags",
    "row_score",
    "statements",
    "rows",
    "selection",
    "sparse_product",
    "quantized_bag",
)


@dataclass(frozen=True)
class Settings:
    """The backend's options: torch.compile(model, backend="ember", options={...}).

    rest: what runs everything that is not compiled here, "eager" or "inductor". raises: a kernel
    that cannot be built is an error instead of a warning. excluded: operations left to PyTorch,
    by the kinds that ember.explain prints. reorders: linear layers behind sums over edges may go
    ahead of them, and be added to each other as they are computed, and products of one-hot rows be
    lookups, which changes how results are rounded. kernel_options: target and level of kernels.
    """

    rest: str = "eager"
    raises: bool = False
    excluded: tuple[str, ...] = ()
    reorders: bool = True
    kernel_options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        if self.rest not in RESTS:
            raise ArgumentError(f"rest must be one of {', '.join(RESTS)}, not {self.rest!r}")
        for kind in self.excluded:
            if kind not in KINDS:
                raise ArgumentError(
                    f"there is no kind {kind!r} to be excluded; there are {', '.join(KINDS)}"
                )

    @staticmethod
    def of(options: Mapping[str, Any] | None) -> "Settings":
        """Settings from a mapping; raises ArgumentError for names and values that are none."""
        known = [one.name for one in fields(Settings)]
        options = dict(options or {})
        for name in options:
            if name not in known:
                raise ArgumentError(f"no option {name!r}; there are: {', '.join(known)}")
        for name in ("raises", "reorders"):
            if not isinstance(value := options.get(name, False), bool):
                raise ArgumentError(f"{name} must be True or False, not {value!r}")
        if not isinstance(kernels := options.get("kernel_options", Options()), Options):
            given = type(kernels).__name__
            raise ArgumentError(f"kernel_options must be ember.Options, not a {given}")
        if "excluded" in options:
            options["excluded"] = kinds_of(options["excluded"])
        return Settings(**options)


def kinds_of(excluded: Any) -> tuple[str, ...]:
    """The kinds that a user names; raises ArgumentError for what is no collection of names."""
    if isinstance(excluded, str) or not isinstance(excluded, Iterable):
        raise ArgumentError(f"excluded must be kinds of operations, as ('bag',), not {excluded!r}")
    return tuple(excluded)
