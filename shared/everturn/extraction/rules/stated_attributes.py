"""What values of an attribute look like: a date, a blood type, a time zone, a nationality.

`My birthday is cancelled` names an attribute, and no value of it.
"""

import re
from typing import Final

from everturn.extraction.rules.plain_values import is_value

# The oldest person of whom that is sure lived 122 years.
OLDEST: Final = 120
_AGE = re.compile(r"(\d{1,3}) years? old(?: (?:now|today))?")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_BIRTHDAY = re.compile(
    rf"(?:on )?(?:the )?(?:(?:{_DAY} (?:of )?{_MONTH}|{_MONTH}\.? (?:the )?{_DAY})(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{4}}|in {_MONTH}|\d{{1,4}}[-/.]\d{{1,2}}(?:[-/.]\d{{1,4}})?\.?)",
    re.IGNORECASE,
)
_BLOOD = re.compile(r"(?:A|B|AB|O|0)(?: ?[-+\u2212]| ?(?i:rh ?)?(?i:positive|negative|pos|neg))?")
_TIME_ZONE = re.compile(
    r"[A-Z]\w+(?:/[A-Z]\w+){1,2}|(?:UTC|GMT)(?: ?[-+\u2212] ?\d{1,2}(?::?\d\d)?)?"
    r"|[-+]\d{1,2}:?\d{0,2}|[A-Z]{2,5}(?:/[A-Z]{2,5})?"
    r"|(?:[A-Z]\w+ ){0,3}(?:(?:Standard|Daylight|Summer|Winter) )?Time"
    r"|(?i:us )?(?i:eastern|central|mountain|pacific|atlantic)(?: (?i:time))?"
)
_PRONOUNS = re.compile(
    r"(?:he|she|they|it|xe|ze|ey|any)(?: ?(?:/|and) ?(?:him|her|them|its?|his|hers|theirs?|xem|zir"
    r"|hir|em|he|she|they)){0,3}(?: pronouns)?",
    re.IGNORECASE,
)
_PEOPLE: Final = (
    r"[A-Z]\w+(?:an|ish|ese|i|ic|ch)|Dutch|Greek|Swiss|Czech|Slovak|Turk|Croat|Serb|Pole|Dane|Swede"
    r"|Finn|Thai|Filipin[ao]|Argentine|Welsh"
)
_NATIONALITY = re.compile(
    rf"(?:(?:half|part) )?(?:{_PEOPLE})(?:(?: and | ?[-/] ?| )(?:{_PEOPLE}))?"
)
_FAITH = re.compile(
    r"(?:(?:roman|greek|russian|eastern|sunni|shia|reform|conservative|orthodox|latter-day) ){0,2}"
    r"(?:islam|muslim|christian(?:ity)?|catholic(?:ism)?|orthodox|protestant(?:ism)?|lutheran(?:ism)?"
    r"|anglican(?:ism)?|baptist|methodist|juda?ism|jewish|hindu(?:ism)?|buddhis[tm]|sikh(?:ism)?"
    r"|jain(?:ism)?|tao(?:ism|ist)|shinto|bah\u00e1'?\u00ed|bahai|zoroastrian(?:ism)?|quaker|mormon"
    r"|wicca|pagan(?:ism)?|atheis[tm]|agnostic(?:ism)?)",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"aries|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces",
    re.IGNORECASE,
)
_SHOES = re.compile(r"(?:(?:EU|US|UK) )?\d{1,2}(?:[.,]5| 1/2)?(?: ?(?:EU|US|UK|wide|narrow))?")


def is_age(value: str) -> bool:
    """Say whether a value is how many years somebody can have lived, and nothing more."""
    found = _AGE.fullmatch(value)
    return found is not None and 1 <= int(found[1]) <= OLDEST


def is_birthday(value: str) -> bool:
    """Say whether a value is a date, and nothing more."""
    return _BIRTHDAY.fullmatch(value) is not None


def is_blood_type(value: str) -> bool:
    """Say whether a value is a group of the AB0 system, with or without its rhesus factor."""
    return _BLOOD.fullmatch(value) is not None


def is_time_zone(value: str) -> bool:
    """Say whether a value is the name of a time zone or its distance from UTC."""
    return is_value(value) and _TIME_ZONE.fullmatch(value) is not None


def is_pronouns(value: str) -> bool:
    """Say whether a value is a row of pronouns."""
    return _PRONOUNS.fullmatch(value) is not None


def is_nationality(value: str) -> bool:
    """Say whether a value has the form of a people's name."""
    return is_value(value) and _NATIONALITY.fullmatch(value) is not None


def is_faith(value: str) -> bool:
    """Say whether a value is a religion, or that there is none."""
    return _FAITH.fullmatch(value) is not None


def is_star_sign(value: str) -> bool:
    """Say whether a value is one of the twelve."""
    return _SIGN.fullmatch(value) is not None


def is_shoe_size(value: str) -> bool:
    """Say whether a value is a number, with the country that counts so."""
    return _SHOES.fullmatch(value) is not None
