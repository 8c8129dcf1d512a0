"""Steps of a case that are done at the same time, each in a thread of its own."""

import threading
from collections.abc import Callable

import httpx

from cases.case import Case


def at_once(act: Callable[[Case], list[httpx.Response]], steps: list[Case]) -> list[httpx.Response]:
    """Do all steps; the answers come in no order."""
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda step=step: answers.extend(act(step))) for step in steps
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(steps)
    return answers
