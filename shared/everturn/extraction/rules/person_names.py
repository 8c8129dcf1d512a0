"""Names of people, as somebody says them of himself or of his own."""

import re
from typing import Final

from everturn.extraction.rules.authored_text import HIDDEN
from everturn.recall.language.language import ENGLISH

# A name ends where the sentence does, or goes on.
_GOES_ON: Final = (
    "and|but|from|here|by|btw|so|nice|please|instead|if|now|because|since|though|who|which"
)
_ENDS: Final = r"(?=\s*(?:$|[,:;.!?()\u2013\u2014]|-\s|\s(?:{words})\b))"
_NAME_ENDS: Final = _ENDS.format(words=f"{_GOES_ON}|in|on")
# `my name is misspelled in the file`: in small letters it may be how a name is.
_SMALL_NAME_ENDS: Final = _ENDS.format(words=_GOES_ON) + r"(?!\W*(?:not|for|in|on)\b)"
_WORDS: Final = r"[^\W\d_][\w.\'-]*(?: [^\W\d_][\w.\'-]*){0,3}?"
NAME = re.compile(
    rf'"{HIDDEN}+"|(?-i:(?![a-z])){_WORDS}{_NAME_ENDS}|(?-i:(?=[a-z])){_WORDS}{_SMALL_NAME_ENDS}',
    re.IGNORECASE,
)
_SMALL_WORDS: Final = "de van von der den bin al el la le da du di dos ter"
_PARTICLES: Final = frozenset(_SMALL_WORDS.split())
_NOT_CALLED: Final = (
    "back when later tomorrow today tonight asap maybe crazy mad old silly stupid weird "
    "paranoid lazy sir mom mum dad baby anytime sometime again soon out up off over in on at if "
    "whenever monday tuesday wednesday thursday friday saturday sunday collect names spelled "
    "pronounced written mud legion not never no none nobody here there also already always "
    "often like too hard easy common rare unusual unique mentioned listed associated attached "
    "what that this it anything whatever whichever a an the your my his her their blank unknown "
    "anonymous secret private bond jeff ishmael inigo slim removed correct wrong missing "
    "different foo bar xxx something pretty very so doe test user example placeholder batman "
    "superman important"
)
_NO_NAMES: Final = frozenset(_NOT_CALLED.split())
# JD and TJ are written so by people who do not shout.
_LONGEST_INITIALS: Final = 3
# How a name is: `my name is cool, irrelevant, misspelled, french`.
_HOW_NAMES_ARE: Final = (
    "cool nice good great bad fine long short dull lame funny weird odd strange ugly sweet cute "
    "beautiful basic plain simple boring dumb stupid silly old new rare exotic foreign fancy "
    "spelt misspelt wrongly gone lost known unknown taken fake real true false hidden visible "
    "public hard tough easy unpronounceable english french german italian indian russian arabic "
    "turkish polish greek latin hebrew dutch swiss czech thai korean african american asian "
    "tricky embarrassing awkward awful terrible horrible perfect popular trendy outdated sorry "
    "all gender genderless neutral unisex male female masculine feminine typical normal ordinary "
    "ok okay alright enough everywhere nowhere classified trademarked in on for"
)
_NO_SMALL_NAMES: Final = frozenset(_HOW_NAMES_ARE.split())
_ADJECTIVE = re.compile(
    r"[a-z]+(?:[ai]ble|ous|less|ful|ntial|vant|(?<!ahm)(?<!hamm)(?<!\bfr)(?<!\bjar)ed|ing|ish|ese"
    r"|(?<!\ber)(?<!min)ic|ive|ical|onal|tten|rong|ly(?<!\bemily)(?<!\bsally)(?<!\bmolly)"
    r"(?<!\bkelly)(?<!\bpolly)(?<!\bbilly)(?<!\bcarly)(?<!\bkimberly))"
)


def is_name(value: str) -> bool:
    """Say whether a value can be a person's name: capitals, or what is no common word."""
    if value.startswith('"'):
        return True
    words = value.split()
    plain = [word.lower().rstrip(".") for word in words]
    if not words or _NO_NAMES & set(plain):
        return False
    if any(word.isupper() and len(word) > _LONGEST_INITIALS for word in words):
        # Shouted, which says no more than small letters do.
        words = plain
    if all(word[0].isupper() or word in _PARTICLES for word in words) and words[-1][0].isupper():
        return True
    if _NO_SMALL_NAMES & set(plain) or any(map(_ADJECTIVE.fullmatch, plain)):
        return False
    known = ENGLISH.common_words | ENGLISH.stop_words
    lower = all(word.islower() or not word[0].isascii() for word in words)
    return lower and len(words) <= len(("first", "last")) and not known & set(plain)


# What one goes by besides a name, and what is called by people.
_GONE_BY: Final = (
    "bus train car bike bicycle foot plane tram metro subway tube boat ferry ship taxi cab uber "
    "lyft scooter moped motorbike motorcycle truck van coach rail road sea air land water public "
    "transport transit instinct feel feeling gut ear memory experience intuition faith sight smell "
    "taste touch nature default habit rule rules book price size weight date age rank seniority "
    "time clock sun stars map gps names usually mostly sometimes"
)
_NOT_GONE_BY: Final = frozenset(_GONE_BY.split())


def is_called(value: str) -> bool:
    """Say whether `call me ...` or `I go by ...` is followed by a name: it has a capital.

    Where nothing has, `I go by max` and `I go by bus` look the same.
    """
    if value.startswith('"'):
        return True
    words = value.split()
    shouts = any(word.isupper() and len(word) > _LONGEST_INITIALS for word in words)
    plain = {word.lower().rstrip(".") for word in words}
    known = _NOT_GONE_BY | ENGLISH.common_words | ENGLISH.stop_words
    is_small = any(word[0].islower() and word not in _PARTICLES for word in words)
    return is_name(value) and not is_small and not shouts and known.isdisjoint(plain)
