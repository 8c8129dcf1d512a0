"""What errors of the operating system mean to the queue in a folder."""

import errno
from pathlib import Path

import pytest
from filelock import Timeout

from everturn.adapters.directory.errors import PASSING, queue_error, translated
from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import MisconfiguredError, UnavailableError
from ports.queue_contract import job


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_errno_has_an_answer_and_is_named_in_it(number: int) -> None:
    error = queue_error(OSError(number, "text of the system", "/somebody/private"))
    passing = number in PASSING or number == errno.ETIMEDOUT
    assert type(error) is (UnavailableError if passing else MisconfiguredError)
    assert error.message.endswith(f"error={errno.errorcode[number]}")
    assert "private" not in error.message


def test_a_lock_without_an_errno_passes_and_causes_are_kept() -> None:
    assert type(queue_error(Timeout("lock"))) is UnavailableError
    cause = OSError(errno.EIO, "x")
    with pytest.raises(UnavailableError) as caught, translated():
        raise cause
    assert caught.value.__cause__ is cause
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError


def test_a_root_that_is_no_folder_is_a_matter_of_the_deployment(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    queue = FolderQueue(
        file, clock=ManualClock(), entropy=SeededEntropy(), max_receives=3, max_depth=9
    )
    for call in (
        lambda: queue.offer(job(), delay_s=0),
        lambda: queue.claim(1, lease_s=1),
        queue.depth,
        queue.count_dead,
    ):
        with pytest.raises(MisconfiguredError):
            call()
