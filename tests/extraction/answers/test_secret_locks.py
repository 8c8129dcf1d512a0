"""What opens a lock, a network, a wallet or an account is a secret; other codes are public."""

import time

import pytest

from everturn.extraction.answers.secret_patterns import holds_secret, opens_something


@pytest.mark.parametrize(
    "text",
    [
        "my locker code is 4471",
        "the safe combo is 12-22-43",
        "our vault code: 9911",
        "garage door code 9911",
        "gate pin is 1234",
        "my alarm's code is 8812",
        "bike lock code is 471",
        "my bike lock is 4711",
        "phone unlock code is 2580",
        "card lock code 4711",
        "the garage opens with 9911",
        "the door unlocks with 4711#",
        "The house alarm is disarmed with 8812",
        "4471 is my locker code",
        "use 1234 for the garage",
        "the wlan is sommer2024",
        "our network is blueFish99",
        "wifi: Tr0ub4dor",
        "the wifi at home is hunter2network",
        "wifi key is swordfish",
        "wifi login is guest",
        "my bitcoin seed is apple banana cherry dog",
        "seed words are apple banana cherry dog egg fox",
        "mnemonic: apple banana cherry dog egg fox",
        "my recovery is apple banana cherry dog egg",
        "my mother's maiden name is Smith",
        "maiden name: Smith",
        "my first pet was called Rex",
        "my first pet's name was Rex",
        "my first school was Hill Primary",
        "the name of my first pet is Rex",
        "the answer to my security question is Rex",
        "my security answer is blue",
        "the code for the front door is 4711",
        "my code is 4471",
        "The user's mother's maiden name is Smith",
        "suitcase lock is 471-2",
        "my ipad passcode is 2580",
        "the safe's combination is 12 22 43",
        "The user's locker code is 4471",
        "The wifi is Tr0ub4dor",
        "the user's first pet was Rex",
        "the intercom code is 12B4",
        "code for my locker is 12-34-56",
    ],
)
def test_what_opens_something_is_a_secret(text: str) -> None:
    assert holds_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "the deploy port is 9090",
        "the room code is B12",
        "the postal code is 10115",
        "the code is in main.py",
        "the error code is 4471",
        "the gate is B12",
        "my gate is 12",
        "the country code is 47",
        "the status code is 404",
        "the zip code is 90210",
        "The safe is in the cellar",
        "my locker is 214",
        "the garage is 20 m2 large",
        "the door is 2 m wide",
        "my phone is +47 22 33 44 55",
        "the wifi is slow",
        "the wifi is 5GHz",
        "the wifi is WPA2",
        "the network is 10.0.0.0/16",
        "the network is vpc-0a1b2c3d4e",
        "the random seed is 42",
        "seed: 12345",
        "the file opens with Python3",
        "The season opens with 2 games",
        "wifi is 802.11ax",
        "my first car was a Saab",
        "my first school day is Monday",
        "the maiden name is required",
        "the security question is optional",
        "my first dog food brand is X",
        "the network is down since 10:00",
        "the router is FRITZ!Box 7590",
        "the code is 200 lines",
        "the discount code is SAVE10",
        "the house number is 12",
        "the office is 4120 Main Street",
        "my apartment is 301",
        "the building code is from 1998",
        "the conference room is 4.12",
        "The door is open from 9 to 17",
        "Oslo opens with 3 goals",
        "lock the door at 22:00",
        "the dress code is casual",
        "The lock file is v2",
        "the lock is held for 5000 ms",
        "my first teacher training is done",
        "the recovery takes 2000 ms",
        "the vault is at /srv/vault",
        "the alarm is set for 7:30",
        "alarm at 0630",
        "the safe is 200 kg",
        "car code P0420",
        "The source code for the office is in repo 12",
    ],
)
def test_a_code_that_opens_nothing_is_none(text: str) -> None:
    assert not opens_something(text)
    assert not holds_secret(text)


@pytest.mark.parametrize(
    "piece",
    ["sk-", "eyJ-", "SG.", "1-", "12 34 ", "code for my ", "pin of my lock ", "123 is my a ",
     "wifi at a ", "wallet seed for ", "maiden name of ", "seed is abc ", "opens with "],
)  # fmt: skip
def test_four_times_the_text_takes_about_four_times_as_long(piece: str) -> None:
    """Quadratic time would be sixteen times; a bound in seconds would depend on the machine."""
    took = [_seconds(piece * (size // len(piece)) + "!") for size in (50_000, 200_000)]

    assert took[1] < 10 * took[0] + 0.05


def _seconds(text: str) -> float:
    return min(_once(text) for _ in range(3))


def _once(text: str) -> float:
    began = time.process_time()
    holds_secret(text)
    return time.process_time() - began
