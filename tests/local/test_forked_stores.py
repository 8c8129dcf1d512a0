"""A child made by fork opens a store while threads of its parent hold every lock of theirs."""

import subprocess
import sys
import textwrap
from pathlib import Path

from cli.everturn_process import clean_environment

# The child has twenty seconds; it would wait for ever.
_FORKED = """
    import contextlib, faulthandler, gc, os, threading, warnings
    from everturn.client import Everturn
    from everturn.adapters.aws import s3_clients, scope_credentials, session, sqs_queue
    from everturn.local.in_process_store import open_store
    from everturn.local.gateway import ProcessLock

    warnings.simplefilter("ignore", DeprecationWarning)
    KIND = type(threading.Lock())

    def use(memory):
        memory.append_user("c", "My name is Dana.")
        assert memory.recall("name").hits
        memory.consolidate("c")
        assert memory.list_memories().memories
        memory.context("name", conversation_id="c")

    memory = Everturn.local("store")
    use(memory)
    clients = (
        session.shared_session,
        s3_clients.shared_clients,
        sqs_queue.shared_client,
        scope_credentials.shared_client,
    )
    old = [open_store("store"), *(made() for made in clients)]
    owners = [
        one for one in gc.get_objects()
        if str(type(one).__module__).startswith("everturn.") and not isinstance(one, ProcessLock)
    ]
    locks = [lock for one in owners if isinstance(lock := getattr(one, "_lock", None), KIND)]
    held, over = threading.Event(), threading.Event()

    def hold():
        with contextlib.ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(20, exit=True)
        new = [open_store("store"), *(made() for made in clients)]
        assert not [one for one, other in zip(old, new, strict=True) if one is other]
        use(Everturn.local("store"))
        os._exit(7)
    told = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    over.set()
    thread.join()
    assert old == [open_store("store"), *(made() for made in clients)]
    use(memory)
    print("child", told, "locks", len(locks) > 1)
"""


def test_a_child_works_on_a_store_of_its_own_whatever_its_parent_was_doing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_FORKED)],
        cwd=tmp_path,
        env=clean_environment() | {"AWS_DEFAULT_REGION": "eu-central-1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "child 7 locks True\n"), done.stderr
