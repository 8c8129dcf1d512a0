"""The child process of --emulate-aws: S3 and SQS by moto on a free port, until its parent is gone.

It runs by `python -m`.
"""

import signal
import sys

from everturn.local.emulation.moto_s3 import serve


def main() -> None:
    """Print the URL in one line, then serve until standard input ends."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = serve("127.0.0.1", 0)
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    # The parent holds the other end: its end of file is the parent's end, however it came.
    sys.stdin.buffer.read()
    server.stop()


if __name__ == "__main__":
    main()
