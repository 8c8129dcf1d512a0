"""What somebody may put where the directory store looks for a file or makes one."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest


def a_socket(path: Path) -> None:
    # Bound by a relative name: that of a socket may have 107 characters, and test folders are deep.
    with pytest.MonkeyPatch.context() as patch, socket.socket(socket.AF_UNIX) as made:
        patch.chdir(path.parent)
        made.bind(path.name)


def a_circle(path: Path) -> None:
    path.symlink_to(path.name)


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to(os.devnull)


def a_link_below_a_file(path: Path) -> None:
    file = path.with_suffix(".txt")
    file.write_bytes(b"1")
    path.symlink_to(file / "below")


NO_FILES: Final[list[Callable[[Path], None]]] = [
    os.mkfifo,
    a_socket,
    a_circle,
    a_link_to_a_device,
    a_link_below_a_file,
    os.mkdir,
]


def linked(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def hard_linked(path: Path, outside: Path) -> None:
    path.hardlink_to(outside)


def a_fifo(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def a_full_folder(path: Path, _outside: Path) -> None:
    (path / "full").mkdir(parents=True)


# Each is planted at a path, beside a file outside of the store that no call may touch.
IN_THE_WAY: Final = [linked, hard_linked, a_fifo, a_full_folder]
