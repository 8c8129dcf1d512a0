"""What the script `everturn` calls first: it says which extra is missing, if one is."""

import sys


def main() -> None:
    """Run the command that the arguments name; exit 1 without the packages of the commands."""
    try:
        from everturn.cli.main import main as run
    except ModuleNotFoundError as exc:
        if str(exc.name).partition(".")[0] == "everturn":
            raise
        missing = f"a package is missing, install everturn[local] missing={exc.name}"
        sys.stderr.write(f"error: {missing}\n")
        raise SystemExit(1) from exc
    run()
