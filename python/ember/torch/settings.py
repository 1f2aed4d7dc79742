"""What a user of the backend chooses.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ember.compiler import Options
from ember.errors import ArgumentError

RESTS = ("eager", "inductor")


@dataclass(frozen=True)
class Settings:
    """The backend's options: torch.compile(model, backend="ember", options={...}).

    rest: what runs everything that is not compiled here, "eager" or "inductor". raises: a kernel
    that cannot be built is an error instead of a warning. excluded: operations left to PyTorch,
    by the kinds that ember.explain prints. reorders: linear layers behind sums over edges may go
    ahead of them, which changes how results are rounded. kernel_options: target and level of
    kernels.
    """

    rest: str = "eager"
    raises: bool = False
    excluded: tuple[str, ...] = ()
    reorders: bool = True
    kernel_options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        if self.rest not in RESTS:
            raise ArgumentError(f"rest must be one of {', '.join(RESTS)}, not {self.rest!r}")

    @staticmethod
    def of(options: Mapping[str, Any] | None) -> "Settings":
        """Settings from a mapping; raises ArgumentError for names that are none."""
        known = [one.name for one in fields(Settings)]
        options = dict(options or {})
        for name in options:
            if name not in known:
                raise ArgumentError(f"no option {name!r}; there are: {', '.join(known)}")
        if "excluded" in options:
            options["excluded"] = tuple(options["excluded"])
        return Settings(**options)
