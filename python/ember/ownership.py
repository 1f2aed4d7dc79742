"""Who may change a file: kernels are code, and are run as the user who loads them.

Ownership.h says the same to the compiler and to C++ programs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import grp
import os
import pwd
import stat
from pathlib import Path

from ember import configuration

_MOST_LINKS = 40


def why_not_ours(path: Path, user: int | None = None) -> str:
    """Why another user than this one and root might change what is at a path, now or later.

    Also why it cannot be looked at; empty if no other can. user: by default who runs this process.
    Each step of the path, symbolic links included, is looked up in a folder that has passed: what
    others cannot change they cannot change afterwards either.
    """
    user = os.geteuid() if user is None else user
    here, links = "", 0
    pending = _steps(os.path.join(os.getcwd(), path))
    # In a container, what belongs to nobody there may rule all of it.
    root = os.lstat("/")
    owners = {user, 0, root.st_uid}
    if reason := _why_open("/", root, user, not pending):
        return reason
    while pending:
        name = pending.pop()
        if name == "..":
            # What is here has no links in it any more.
            here = here.rpartition("/")[0]
            continue
        step = f"{here}/{name}"
        try:
            status = os.lstat(step)
            target = os.readlink(step) if stat.S_ISLNK(status.st_mode) else None
        except OSError as error:
            return f"'{step}': {error.strerror}"
        if status.st_uid not in owners:
            return f"'{step}' belongs to user {status.st_uid}"
        if target is None:
            here = step
            if reason := _why_open(step, status, user, not pending):
                return reason
            continue
        links += 1
        if links > _MOST_LINKS:
            return f"'{step}': too many symbolic links"
        pending += _steps(target)
        if target.startswith("/"):
            here = ""
    return ""


def _steps(path: str) -> list[str]:
    """The steps of a path, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _why_open(path: str, status: os.stat_result, user: int, is_last: bool) -> str:
    """Why others may write to what is at a path; empty if they may not."""
    mode = status.st_mode
    by_others = mode & stat.S_IWOTH
    # An access control list that lets anybody write shows as the group's permission.
    by_group = mode & stat.S_IWGRP and not _is_own_group(status.st_gid, user)
    # There each removes and renames only what is their own.
    is_sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    if not (by_others or by_group) or (is_sticky and not is_last):
        return ""
    return f"{'anybody' if by_others else 'its group'} may write to '{path}'"


def _is_own_group(group: int, user: int) -> bool:
    """Whether a group is the user's alone, as many systems give each user one."""
    with contextlib.suppress(KeyError):
        account, entry = pwd.getpwuid(user), grp.getgrgid(group)
        is_named_so = account.pw_gid == group and account.pw_name == entry.gr_name
        return is_named_so and set(entry.gr_mem) <= {account.pw_name}
    return False


def why_not_for_root(path: Path, user: int | None = None) -> str:
    """Why root should not run code that is at a path; empty if it may, and for other users.

    They load what they are allowed to read, as programs do.
    """
    user = os.geteuid() if user is None else user
    if user != 0 or configuration.flag("EMBER_LOAD_ANY_OWNER") or not path.exists():
        return ""
    if reason := why_not_ours(path, user):
        return (
            f"{reason}, and root would run its code: give it to root alone (chown -R root, "
            "chmod -R go-w), load it as its user, or set EMBER_LOAD_ANY_OWNER=1 if it is trusted"
        )
    return ""
