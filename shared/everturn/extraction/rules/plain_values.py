"""What a statement may go on with: a thing by its name, a diet, who belongs to one."""

import re
from typing import Final

_DEICTIC: Final = (
    r"\b(?:here|there|today|tonight|right now|this|these|those|that one|(?:to|in|of|with|at|for"
    r"|on|about|like) that|above|below|as (?:you|i) "
    r"(?:said|mentioned)|instead of that|the (?:first|second|third|last|latter|former|other"
    r"|same)|your (?:[\w-]+ )?(?:answer|repl|response|suggestion|version|draft|text|writing|idea"
    r"|code|summary|explanation)\w*|(?:option|version|variant|draft|choice|answer|plan|approach"
    r"|design|suggestion|proposal|alternative|number) (?:[a-f]|\d|one|two|three)|(?:first|second"
    r"|third|last|new|old|latest|previous|other) (?:version|draft|answer|option|one|attempt|try))\b"
)
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|him|her|his|he|she|they|their|its|you|your|yours|my|our"
    r"|us|me"
    r"|we|option|one|ones|both|either|neither|none|all|some|any|every|each|what|how|when|where|who"
    r"|why|if|myself|to (?:think|say|believe|imagine|hear|see|be honest|admit|break|call"
    r"|disagree|bother|ask|tell|know|point|sound|interrupt|do (?:it|that|this|so)|joke)"
    r"|not to (?:say|answer|talk|discuss|disclose|share|comment)|things|the|so|a lot|more|most|much"
    r"|doing (?:it|that|this|so)|about|and|but|too|as|also|still)\b(?! (?-i:[A-Z][\w-]))"
    r"|the (?!(?-i:[A-Z]))|(?!\"|[-+~./#@$]\w)\W",
    re.IGNORECASE,
)
# Whoever they are, the sentence before said it.
_UNNAMED = re.compile(
    r"\b(?:they|he|she|him|his|her|hers)\b|(?<!s for )\btheir\b|\b(?:it|one)$|\b(?:them"
    r"|you)\b",
    re.IGNORECASE,
)
_DEICTIC_RE = re.compile(_DEICTIC, re.IGNORECASE)
_LOOSE_END = re.compile(
    r"(?:^|[\s,])(?:and|or|with|to|of|in|on|at|for|the|a|an|my|than|that|because|so|but|like|as"
    r"|is|are|from|by|about|very|really|their|your)$",
    re.IGNORECASE,
)
_LONGEST: Final = 220
# A full stop after one letter may end a sentence: `vitamin C. He` are two.
_TWO = re.compile(r"\b[A-Za-z]\. ")


def is_plain(value: str) -> bool:
    """Say whether a value stands for itself: no pronoun, no pointing, not broken off."""
    return is_clear(value) and not _VAGUE.match(value)


_UPRIGHT = re.compile(
    r"(?:up|down|back|by|for|in|on|at|to|near|next|behind|straight|still|upright|long|alone|very"
    r"|too|properly|firmly|steadily|unaided|without|more than|after|with|against|between|under|over"
    r"|before|beside|outside|inside|because|when|while|anymore|any ?longer|or|and|tall|as"
    r"|around|about"
    r"|\d+|an? (?:minute|hour|second|while|moment|chance))(?!\w)",
    re.IGNORECASE,
)


def is_stood(value: str) -> bool:
    """Say whether what somebody cannot stand is a thing; not up, and not for long."""
    return is_plain(value) and not _UPRIGHT.match(value)


def is_clear(value: str) -> bool:
    """Say whether a value is whole and points at nothing that was said before."""
    return is_whole(value) and not (_DEICTIC_RE.search(value) or _UNNAMED.search(value))


def is_whole(value: str) -> bool:
    """Say whether a value is a reasonable one, whatever it says."""
    return 0 < len(value) <= _LONGEST and not _LOOSE_END.search(value) and not _TWO.search(value)


_FAMILY_GOES_ON = re.compile(
    r"$|(?:named|called) [A-Z]|(?:and|,) (?:an?|one|two|three|\d) |, (?:[A-Z][\w'-]+"
    r"(?:, | and |$))+|(?:aged?|ages) \d|in (?:total|all)$"
)
_A_LANGUAGE: Final = r"(?:(?:some|a little|a bit of|fluent|basic) )?[A-Z][a-z]+"
_LANGUAGE = re.compile(
    rf"{_A_LANGUAGE}(?: Chinese| Sign Language)?(?:(?:,? and |, ){_A_LANGUAGE}){{0,5}}"
    r"(?: natively| fluently| well)?$"
)


def is_family(value: str) -> bool:
    """Say whether what follows children or pets tells who they are, or nothing does."""
    return is_whole(value or "x") and _FAMILY_GOES_ON.match(value) is not None


def is_language(value: str) -> bool:
    """Say whether a value is a language, or some."""
    return is_whole(value) and _LANGUAGE.match(value) is not None


_IN_JEST = re.compile(
    r"(?:\w+ )?(?:mornings?|mondays?|code|bugs|stupidity|bureaucracy|politics|politicians"
    r"|marketing|jargon|javascript|java|php|python|perl|css|regex\w*|yaml|excel|windows|taxes"
    r"|deadlines|work|working|exercise|bull\w*|stupid\w*|drama|fun|you|people"
    r"|nonsense|commitment|adulting|math|failure|losing|money|responsibility|it|that|this|them|what"
    r"|idiots|meetings|small talk|bs|her|him|everything|nothing|something|anything|some|lies)\b",
    re.IGNORECASE,
)


def is_allergen(value: str) -> bool:
    """Say whether a value is what one is allergic to in earnest."""
    return is_whole(value) and not _IN_JEST.match(value) and not _DEICTIC_RE.search(value)


_NO_DIET = re.compile(
    r"-|\b(?:when\w*|during|until|unless|but|only|mostly|usually|this|curious|at heart|adjacent|if"
    r"|except|sometimes|friendly|now and|restaurants?|recipes?|food|options?|dishes|meals?|to)\b"
    r"|\bfor (?!\w+ reasons|years|life|\d+ years)",
    re.IGNORECASE,
)


def is_diet(value: str) -> bool:
    """Say whether what follows a diet leaves it as it is."""
    return is_whole(value or "x") and not _NO_DIET.search(value)


_NO_VALUE = re.compile(
    r"(?:not|no|never|my|our|whatever|between|the same|a secret|none|private|unknown|missing"
    r"|wrong|broken|changing|coming|approaching"
    r"|almost|around|over|full|down|gone|lost|important|different|probably|maybe|perhaps|still|just"
    r"|very|really|so|too|going|what|when|where|how|why|that|this|it|here|there|hard|easy|listed"
    r"|cancell?ed|complicated|boring|annoying|bugging|none of|nothing|everything|undecided"
    r"|confusing"
    r"|an? (?:mess|dump|joke|nightmare|mystery|disaster|secret|lie|pain|shame|bit|hole|drag)"
    r"|postponed"
    r"|ruined|over|old|new|slow|crashing|bad|good|great|nice|cool|terrible|awful|horrible|useless"
    r"|near|soon|tomorrow|today|tonight|yesterday|next|last|in (?:an?|two|three|\d+)|set|called off"
    r"|ruined|hacked|compromised|definitely not|always|also|being|getting"
    r"|when\w*|if|to|on file|in my|in the (?!\w*day)|yours?|mine|theirs?|his|hers|\[|<|xxx)(?!\w)",
    re.IGNORECASE,
)

_NO_SURE_VALUE = re.compile(
    r"[\[\]<>{}]|__|\b(?:maybe|perhaps|or something|i think|i guess|if|until|same as|you"
    r"|unless|except)\b",
    re.IGNORECASE,
)


def is_value(value: str) -> bool:
    """Say whether a value is one: not how it is, nor a place left open."""
    return is_whole(value) and not _NO_VALUE.match(value) and not _NO_SURE_VALUE.search(value)


# A mail address, a number, a handle or a site: one run, and what follows goes on.
ADDRESS = re.compile(
    r"(?:[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+|\+?[\d(][\d ()./-]{4,24}\d|@?[\w-]*[\d_-][\w.-]*|@[\w.-]+"
    r"|(?:https?://|www\.)?[\w-]+(?:\.[\w-]+)+(?:/\S*)?)(?=\s*(?:$|[,;.!?)]|\s(?:and|but|so)\b))"
)
