"""A queue of jobs in a folder, for all processes of one machine.

    {root}/waiting/{conversation}.{receives}          a job; its time is when it is due
    {root}/leased/{conversation}.{receives}.{claim}   a claimed one; its time is when the lease ends
    {root}/dead/{conversation}.{receives}             a dead letter
    {root}/new                                        a job that is being written
    {root}/lock                                       locked for each move; never deleted

Each move is one rename after the time was set, so a process may die between any two steps. The job
is in one of the folders then, due or leased until a time that comes.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from filelock import FileLock

from everturn.adapters.directory.errors import is_passing, translated
from everturn.adapters.directory.files import make_folder, read_file, sync_folder, write_file
from everturn.ports.clock import Clock, Entropy
from everturn.ports.queue import (
    MAX_DELAY_S,
    MAX_LEASE_S,
    Depth,
    Lease,
    Offered,
    checked_delay,
    checked_lease,
    checked_limit,
)
from everturn.values.job import Job, job_of

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


# A move is a rename, a new job two fsyncs of some milliseconds: whoever holds the lock for a second
# is stopped, and an append must not wait for him.
_LOCK_TIMEOUT_S: Final = 1.0
_LOCK_POLL_S: Final = 0.002
_CLAIM_BYTES: Final = 8
_S: Final = 1_000_000_000


class FolderQueue:
    """Jobs as files, one of each conversation that waits; a rename claims, a time leases.

    The lock is the operating system's and ends with the process that holds it. A time further ahead
    than any delay or lease can be comes from a clock that was set back, and is over.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock,
        entropy: Entropy,
        max_receives: int,
        max_depth: int,
    ) -> None:
        """Take the root, which the first offer makes.

        Args:
            root: the folder.
            clock: when jobs are due and leases end.
            entropy: names of claims.
            max_receives: how often a job may be claimed; then it is a dead letter.
            max_depth: how many jobs may wait.
        """
        self._files = FolderJobs(root)
        self._clock = clock
        self._entropy = entropy
        self._max_receives = max_receives
        self._max_depth = max_depth

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        """Write a job, unless one of its conversation waits or too many do; see JobQueue.

        One that waits is as good as new then, however often it was claimed.
        """
        delay_ns = checked_delay(delay_s) * _S
        with translated():
            self._files.make()
            with self._locked() as now_ns:
                due_ns = now_ns + delay_ns
                waiting = self._files.of_conversation(job.digest)
                if waiting:
                    first = waiting[0]
                    self._files.put_back(first, due_ns=min(due_ns, first.at_ns), receives=0)
                    return Offered.WAITING
                if not even_if_full and self._depth(now_ns).waiting >= self._max_depth:
                    return Offered.FULL
                self._files.add(job.digest, job.encode().encode("ascii"), due_ns=due_ns)
        return Offered.QUEUED

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        """Lease up to `limit` jobs, those first that have been due for longest; see JobQueue."""
        limit, lease_ns = checked_limit(limit), checked_lease(lease_s) * _S
        with translated():
            now_ns = self._clock.now_ns()
            # A worker looks often and mostly in vain: that takes no lock.
            if not self._due(now_ns) and not self._ended(now_ns):
                return []
            with self._locked() as now_ns:
                for file in self._ended(now_ns):
                    self._release(file, now_ns, due_ns=file.at_ns)
                return self._lease_first(limit, now_ns, now_ns + lease_ns)

    def done(self, lease: Lease) -> None:
        """Remove the job, unless the lease has ended and somebody else has it."""
        with translated(), self._locked():
            file = self._files.leased(lease.receipt)
            if file:
                file.path.unlink()

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        """Let the job wait again, or be a dead letter, unless somebody else has it by now."""
        delay_ns = checked_delay(delay_s) * _S
        with translated(), self._locked() as now_ns:
            file = self._files.leased(lease.receipt)
            if file:
                self._release(file, now_ns, due_ns=now_ns + delay_ns)

    def depth(self) -> Depth:
        """Count the jobs; takes no lock, so that one on its way may count twice or not at all."""
        with translated():
            return self._depth(self._clock.now_ns())

    @property
    def seen_depth(self) -> int | None:
        """Return nothing: each offer counts anew, and keeps no count."""
        return None

    def count_dead(self) -> int:
        """Count the dead letters."""
        with translated():
            return len(self._files.files("dead"))

    def redrive(self, limit: int) -> int:
        """Let up to `limit` dead letters wait again, those first that are dead for longest."""
        checked_limit(limit)
        with translated():
            if not self._files.files("dead"):
                return 0
            with self._locked() as now_ns:
                chosen = self._files.files("dead")[:limit]
                for file in chosen:
                    self._files.put_back(file, due_ns=now_ns, receives=0)
        return len(chosen)

    def _release(self, file: JobFile, now_ns: int, *, due_ns: int) -> None:
        # Buried here and not when it is due: nothing that is offered meanwhile joins a lost one.
        if file.receives >= self._max_receives:
            self._files.bury(file, at_ns=now_ns)
        else:
            self._files.put_back(file, due_ns=due_ns, receives=file.receives)

    def _lease_first(self, limit: int, now_ns: int, until_ns: int) -> list[Lease]:
        leases: list[Lease] = []
        for file in self._due(now_ns):
            if len(leases) == limit:
                break
            job = job_of(self._files.read(file) or b"")
            if job is None:
                # No one can do it; among the dead letters it is seen, and stops nobody.
                self._files.bury(file, at_ns=now_ns)
                continue
            claim = self._entropy.token(_CLAIM_BYTES).hex()
            receipt = self._files.lease(file, claim, until_ns=until_ns)
            leases.append(Lease(job, receipt, file.receives + 1))
        return leases

    def _depth(self, now_ns: int) -> Depth:
        waiting, leased = self._files.files("waiting"), self._files.files("leased")
        due, ended = _over(waiting, now_ns, MAX_DELAY_S), _over(leased, now_ns, MAX_LEASE_S)
        return Depth(
            waiting=len(waiting) + len(ended),
            leased=len(leased) - len(ended),
            oldest_ns=min((file.at_ns for file in [*due, *ended]), default=None),
        )

    def _due(self, now_ns: int) -> list[JobFile]:
        return _over(self._files.files("waiting"), now_ns, MAX_DELAY_S)

    def _ended(self, now_ns: int) -> list[JobFile]:
        return _over(self._files.files("leased"), now_ns, MAX_LEASE_S)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        # One instance per move: instances exclude one another among threads as well.
        lock = FileLock(self._files.lock, timeout=_LOCK_TIMEOUT_S, poll_interval=_LOCK_POLL_S)
        with lock:
            yield self._clock.now_ns()


def _over(files: list[JobFile], now_ns: int, longest_s: int) -> list[JobFile]:
    return [file for file in files if not now_ns < file.at_ns <= now_ns + longest_s * _S]
