"""What a child made by fork forgets.

The parts that its parent opened once for the whole process.
"""

from everturn.bootstrap import components


def forget_parts() -> None:
    """Forget all parts of bootstrap/components.py: the next ones are new.

    A thread of the parent, which is not in the child, may have held the locks of the old ones.
    """
    for part in vars(components).values():
        clear = getattr(part, "cache_clear", None)
        if clear is not None:
            clear()
