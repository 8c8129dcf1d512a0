"""Where the files of this checkout are."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
