"""Statements as models note them, each with the turn that says it.

Of LoCoMo they are taken where it is there (https://arxiv.org/abs/2402.17753): what annotators noted
of single turns.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from everturn.extraction.grounding.sentence_support import word_terms


class Pair(NamedTuple):
    """A statement, and what the turns said of which one says it."""

    statement: str
    texts: Sequence[str]
    names: Sequence[str]
    number: int

    @property
    def quote(self) -> str:
        """Return the sentence that a model would copy: the one with most words of the statement."""
        wanted = word_terms(self.statement)
        parts = self.texts[self.number].replace("? ", "?|").replace(". ", ".|").replace("! ", "!|")
        said = [part for part in parts.split("|") if word_terms(part)]
        return max(said, key=lambda part: len(word_terms(part) & wanted), default="")


_TABLE: Final = """\
The user prefers brief replies. | Keep your answers short, please.
The user's name is Dana. | hey, call me Dana
The user lives in Lisbon. | I've been based in Lisbon for years now
The user moved to Vaduz on 2024-05-23. | hi, I moved to Vaduz yesterday.
The user does not like phone calls. | please no phone calls, I don't like them
The user is allergic to peanuts. | careful, peanuts could kill me, I'm really allergic
The user works as a nurse. | I'm a nurse at the city hospital
The user has two daughters. | my two daughters start school on Monday
The user's wife is called Anke. | Anke, my wife, will join us
The user has a dog named Bo. | our dog Bo ate my shoes again
The user is learning Japanese. | I've started taking Japanese lessons every Tuesday
The user runs marathons. | training for my third marathon now, running 40 km a week
The user drives an electric car. | we bought an electric car last spring
The user prefers tea to coffee. | I'd rather have tea than coffee, always
The user is vegetarian. | I don't eat meat, I'm vegetarian
The user was born in Porto. | Born and raised in Porto!
The user studies medicine in Graz. | third year of medicine here in Graz, send help
The user wants answers in German. | please answer in German from now on
The user's birthday is on 4 March. | my birthday is March 4th, don't forget it
The user uses Neovim as editor. | I do everything in Neovim these days
The user plays the cello in an orchestra. | rehearsal with the orchestra tonight, with my cello
The user is 34 years old. | I turned 34 last week, feeling old
The user has a flight to Oslo on 2024-06-01. | my flight to Oslo leaves on June 1, 2024
The user sold his house. | we finally sold the house, what a relief
The user hates cilantro. | cilantro tastes like soap, I hate it
The billing service listens on port 8081. | billing is up, listening on 8081 as before
The depot in Aalst closes at 17:40. | Note that the Aalst depot shuts at 17:40, it closes early
Backups run every night at 03:00. | the nightly backups run at 03:00 UTC
The staging database is Postgres 15.4. | staging's database got upgraded to Postgres 15.4
The API limit is 500 requests per minute. | they limit the API to 500 requests a minute
The config file is /etc/app/prod.yaml. | edit /etc/app/prod.yaml, that's the config it reads
The team decided to use Rust for the parser. | ok decided: the parser will be in Rust
The release was moved to 2024-07-12. | we moved the release to 12 July 2024
The login bug was fixed in commit 9f3c2ab1. | 9f3c2ab1 fixes the login bug
The office in Ghent has 40 desks. | Ghent office: 40 desks, two meeting rooms
The contract with Helix ends in March. | our Helix contract runs out, it ends in March
The export is written to s3://exports/daily. | the export job writes to s3://exports/daily
Invoices are sent by Marta. | Marta sends the invoices, ask her
The cache has a TTL of 15 minutes. | TTL on the cache: 15 minutes
The user asked for the build to be checked. | can you check the build for me please?
The user's team has six engineers. | there are six engineers in my team
The user is planning a trip to Kyoto. | planning Kyoto for the autumn, that trip is a dream
The user lost his passport in Rome. | my passport got lost somewhere in Rome
The user stopped smoking. | I quit smoking in January
The user owns a bakery. | my bakery opens at five, so I get up at three
The user enjoys hiking in the Alps. | nothing like hiking in the Alps for a week
The user broke his left arm. | broke my left arm skiing, typing is slow
The user plays chess every Thursday. | Thursday is chess night for me
The user's car is a red Volvo. | it's the red Volvo, that's my car
The user speaks Portuguese and French. | I speak French, and Portuguese at home
The printer in room 204 is broken. | room 204's printer is broken again
The VPN needs a hardware token. | without a hardware token the VPN won't let you in, you need one
The meeting with Acme is on 2024-05-30. | Acme meeting set for 2024-05-30
The new hire is named Priya. | Priya is the new hire, say hi
Logs are kept for 90 days. | we keep logs 90 days
The user grows tomatoes on the balcony. | the tomatoes on my balcony are ripe
The user's mother lives in Split. | visiting my mum in Split next week, she lives by the sea
The user is afraid of flying. | flying? no thanks, I'm afraid of it
The user wears size 43 shoes. | size 43 shoes, please
The user volunteers at an animal shelter. | Sundays I volunteer at the animal shelter
"""


def table_pairs() -> Iterator[Pair]:
    """Yield sixty of the kinds that matter, each turn alone."""
    for line in _TABLE.splitlines():
        statement, text = line.split(" | ")
        yield Pair(statement, (text,), ("",), 0)


def locomo_pairs(folder: Path, count: int) -> list[Pair]:
    """Return so many from all of LoCoMo, each with all turns of its session."""
    talks = json.loads((folder / "locomo10.json").read_text("utf-8"))
    pairs = [pair for talk in talks for pair in _of_talk(talk)]
    return pairs[:: len(pairs) // count][:count]


def _of_talk(talk: dict[str, Any]) -> Iterator[Pair]:
    for session, noted in talk["observation"].items():
        turns = talk["conversation"][session.removesuffix("_observation")]
        numbers = {turn["dia_id"]: number for number, turn in enumerate(turns)}
        texts, names = ([turn[field] for turn in turns] for field in ("text", "speaker"))
        for statement, place in (one for notes in noted.values() for one in notes):
            if isinstance(place, str) and place in numbers:
                yield Pair(statement, texts, names, numbers[place])
