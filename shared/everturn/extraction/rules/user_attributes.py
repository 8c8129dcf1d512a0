"""What a user states of himself by the name of an attribute: my birthday is, my e-mail is."""

from typing import Final

from everturn.extraction.rules.person_names import is_name
from everturn.extraction.rules.plain_values import ADDRESS, is_language, is_value, is_whole
from everturn.extraction.rules.stated_attributes import (
    is_birthday,
    is_blood_type,
    is_faith,
    is_nationality,
    is_pronouns,
    is_shoe_size,
    is_star_sign,
    is_time_zone,
)
from everturn.extraction.rules.stated_places import is_place
from everturn.extraction.rules.statement_rule import Fits, Rule, begins

KIN: Final = (
    "wife|husband|partner|spouse|girlfriend|boyfriend|fiance|fiancee|son|daughter|dog|cat|pet"
    "|brother|sister|mother|father|mom|mum|dad|boss|manager|doctor|dentist|baby|horse"
)
_FAVOURITE: Final = (
    r"favou?rite (?!part|thing|one|moment|memory|memories|time|scene|way|so far|is\b|right)"
    r"[\w'-]+(?: [\w'&-]+){0,3}?"
)
_ADDRESSES: Final = (
    r"(?:work |personal |private )?e-?mail(?: address)?|(?:phone|mobile|cell)(?: number)?"
    r"|(?:(?:github|twitter|instagram|discord|slack|linkedin|reddit|mastodon) )?"
    r"(?:user ?name|handle|account)|website|home ?page"
)


def _attribute(named: str, fits: Fits) -> Rule:
    beginning = begins(rf"my (?P<what>{named})(?: is|'s| are|:) ")
    return Rule("attribute", "fact", 7, beginning, "The user's {what} {be} {value}", fits)


ATTRIBUTE_RULES: Final = (
    Rule("address", "fact", 7, begins(rf"my (?P<what>{_ADDRESSES})(?: is|'s|:) "),
         "The user's {what} is {value}", is_whole, ADDRESS),
    _attribute(rf"(?:(?:{KIN})'s )?birthday|birth ?date|date of birth", is_birthday),
    _attribute("time ?zone", is_time_zone),
    _attribute("pronouns", is_pronouns),
    _attribute(rf"nick ?name|(?:{KIN})'s name", is_name),
    _attribute("mother tongue|native language|first language", is_language),
    _attribute("home ?town|home city", is_place),
    _attribute("(?:star|zodiac) sign", is_star_sign),
    _attribute("blood type", is_blood_type),
    _attribute("shoe size", is_shoe_size),
    _attribute("nationality", is_nationality),
    _attribute("religion", is_faith),
    _attribute(rf"{_FAVOURITE}|hobby|hobbies|job title|profession|occupation|employer"
               r"|editor of choice|operating system|preferred [\w-]+(?: [\w-]+)?", is_value),
)  # fmt: skip
