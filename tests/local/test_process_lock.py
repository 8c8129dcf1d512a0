import subprocess
import sys
import textwrap

# The child has five seconds; it would wait for ever.
_FORKED = """
    import faulthandler, os, threading, warnings
    from everturn.local import gateway, in_process_store
    from everturn.local.gateway import ProcessLock

    warnings.simplefilter("ignore", DeprecationWarning)
    made = ProcessLock()
    locks = (made, gateway._ONE_EVENT, in_process_store._OPENING)
    held, over = threading.Event(), threading.Event()

    def hold():
        with locks[0], locks[1], locks[2]:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(5, exit=True)
        with locks[0], locks[1], locks[2]:
            os._exit(7)
    told = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    over.set()
    thread.join()
    with locks[0], locks[1], locks[2]:
        print("child", told)
"""


def test_a_child_finds_open_what_a_thread_of_its_parent_held() -> None:
    """That thread is not in the child, and would never open it."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_FORKED)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "child 7\n"), done.stderr
