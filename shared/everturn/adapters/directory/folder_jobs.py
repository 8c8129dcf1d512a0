"""The files of a queue in a folder: their names, what lies there, and single moves.

    {root}/waiting/{conversation}.{receives}          a job; its time is when it is due
    {root}/leased/{conversation}.{receives}.{claim}   a claimed one; its time is when the lease ends
    {root}/dead/{conversation}.{receives}             a dead letter
    {root}/new                                        a job that is being written
    {root}/lock                                       held by whoever moves; never deleted

Each move is one rename after the time was set, so a process may die between any two steps: the job
lies in one of the folders then, due or leased until a time that comes.
"""

import os
import re
import stat
from pathlib import Path
from typing import Final, Literal, NamedTuple

from everturn.adapters.directory.errors import is_passing
from everturn.adapters.directory.files import make_folder, read_file, sync_folder, write_file

Place = Literal["waiting", "leased", "dead"]

_PLACES: Final[tuple[Place, ...]] = ("waiting", "leased", "dead")
_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,9})(?:\.[0-9a-f]{16})?", re.ASCII)


class JobFile(NamedTuple):
    """One file; `at_ns` in Unix time, `conversation` the digest of its job."""

    at_ns: int
    conversation: str
    receives: int
    path: Path


class FolderJobs:
    """Files under one root; what is not named as ours is left alone."""

    def __init__(self, root: Path) -> None:
        """Take the root, which need not exist."""
        self._root = root

    @property
    def lock(self) -> Path:
        """The file that is locked for every move."""
        return self._root / "lock"

    def make(self) -> None:
        """Make the folders, durably."""
        for place in _PLACES:
            make_folder(self._root / place)

    def files(self, place: Place) -> list[JobFile]:
        """Return what lies there, in the order of its times; nothing where there is no folder."""
        try:
            with os.scandir(self._root / place) as entries:
                found = [_file_of(entry) for entry in entries]
        except FileNotFoundError:
            return []
        return sorted(file for file in found if file)

    def of_conversation(self, conversation: str) -> list[JobFile]:
        """Return the jobs of one conversation that wait."""
        return [file for file in self.files("waiting") if file.conversation == conversation]

    def add(self, conversation: str, body: bytes, *, due_ns: int) -> None:
        """Write a job that was never claimed; durable on return."""
        new, folder = self._root / "new", self._root / "waiting"
        write_file(new, body, at_ns=due_ns, after_ns=0, mode=0o600)
        new.replace(folder / f"{conversation}.0")
        sync_folder(folder)

    def read(self, file: JobFile) -> bytes | None:
        """Read a job; None if its file is gone, or is none that can be read.

        Raises:
            OSError: the system lacks something for now.
        """
        try:
            seen = read_file(file.path, unless_etag=None)
        except OSError as exc:
            if is_passing(exc):
                raise
            return None
        return seen.body if seen else None

    def lease(self, file: JobFile, claim: str, *, until_ns: int) -> str:
        """Move a job that waits to those that are leased; return the name it has there."""
        name = f"{file.conversation}.{file.receives + 1}.{claim}"
        _set_time(file.path, until_ns)
        file.path.rename(self._root / "leased" / name)
        return name

    def leased(self, name: str) -> JobFile | None:
        """Return the leased job of this name, None if it is not there any more."""
        return next((file for file in self.files("leased") if file.path.name == name), None)

    def bury(self, file: JobFile, *, at_ns: int) -> None:
        """Move a job to the dead letters; of one conversation and count the newest stays."""
        _set_time(file.path, at_ns)
        file.path.replace(self._root / "dead" / f"{file.conversation}.{file.receives}")

    def put_back(self, file: JobFile, *, due_ns: int, receives: int) -> None:
        """Move a job to those that wait, or renew one of them; of its conversation one stays.

        That one is due when the first of them was, and has been claimed as often as the least: one
        that was offered since is tried as often as any other.
        """
        waiting = self.of_conversation(file.conversation)
        others = [other for other in waiting if other.path != file.path]
        least = min([receives, *(other.receives for other in others)])
        _set_time(file.path, min([due_ns, *(other.at_ns for other in others)]))
        place = self._root / "waiting" / f"{file.conversation}.{least}"
        file.path.replace(place)
        for other in others:
            if other.path != place:
                other.path.unlink()


def _set_time(path: Path, at_ns: int) -> None:
    """Set what a file's time says, in Unix nanoseconds."""
    os.utime(path, ns=(at_ns, at_ns))


def _file_of(entry: os.DirEntry[str]) -> JobFile | None:
    name = _NAME.fullmatch(entry.name)
    if name is None:
        return None
    try:
        state = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        # Moved since the folder was read: whoever moved it has it.
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    return JobFile(state.st_mtime_ns, name[1], int(name[2]), Path(entry.path))
