"""Rules for what a user states of himself: name, place, work, health, taste, wishes.

A rule says how a statement begins, how it may go on, and what it is remembered as. A statement that
does not fit is left out. Rules find less than a model does, and should find nothing that is not so.

Some rules take an attribute by its name: my birthday is, my e-mail is.

No list holds all names. So what else follows `I'm ...` at a greeting is excluded by its form and by
lists. The lists are of states, places, peoples, roles and products. Fred, Susan and Rajesh Patel
may be left out with it; a name that is missed is said again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from everturn.extraction.rules.instructions import (
    is_ban,
    is_fact,
    is_manner,
    is_new_order,
    is_order,
)
from everturn.extraction.rules.occupations import A_JOB, is_employer, is_job, is_role
from everturn.extraction.rules.person_names import NAME, is_called, is_name
from everturn.extraction.rules.plain_values import (
    ADDRESS,
    is_age,
    is_allergen,
    is_birthday,
    is_blood_type,
    is_diet,
    is_faith,
    is_family,
    is_language,
    is_nationality,
    is_place,
    is_plain,
    is_pronouns,
    is_shoe_size,
    is_star_sign,
    is_stood,
    is_time_zone,
    is_value,
    is_whole,
)
from everturn.recall.language.language import ENGLISH
from everturn.values.memory_kind import MemoryKind

Fits = Callable[[str], bool]
"""Says whether what follows the beginning of a statement is what the rule means."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a statement begins, how it goes on, and what it is remembered as.

    `says` is a format of the groups of `begins` and of `value`. A `whole` rule remembers the
    user's own words; an `only` pattern is all that belongs to the statement.
    """

    name: str
    kind: MemoryKind
    importance: int
    begins: re.Pattern[str]
    says: str
    fits: Fits
    only: re.Pattern[str] | None = None
    whole: bool = False


def begins(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a beginning, in whatever case, that no word runs into."""
    return re.compile(rf"(?<![\w'])(?i:{pattern})")


_STATES: Final = (
    "sorry sad glad okay ok afraid tired lost stuck curious sick ill well unwell fine good "
    "great bad "
    "mad angry furious livid upset hurt numb cold hot warm hungry thirsty sleepy drunk sober high "
    "low broke poor rich late early new old young busy free ready alone awake asleep alive dead "
    "aware ashamed calm chill cool weird dumb smart silly shy proud sure unsure safe sore stiff "
    "weak strong tall short fat thin slim fit wet dry lazy crazy moody grumpy cranky dizzy happy "
    "unhappy lonely nosy picky messy clumsy guilty crabby jumpy itchy sweaty shaky woozy drowsy "
    "tipsy needy greedy nerdy gutted fuming beat done over out in on off up down back stumped "
    "speechless besides pregnant overdue overweight single taken engaged divorced widowed straight "
    "gay lesbian bi queer trans cis deaf blind mute autistic bipolar adhd ocd vegan vegetarian "
    "kosher "
    "halal coeliac celiac epileptic asthmatic amazed blessed toast hangry worse better best "
    "worst desperate awesome fabulous super stoked hyped psyched keen eager torn spent wrong right "
    "honest blunt frank concerned private public anonymous nobody somebody anybody everybody "
    "everyone someone legend sold skint knackered exhausted chuffed miffed peeved irate jealous "
    "envious homesick carsick seasick lovesick distraught uptight offended fresh straight "
    "newly recently originally remote passionate"
)  # fmt: skip
_PLACES: Final = (
    "here there home away abroad outside inside indoors outdoors upstairs downstairs nearby nearly "
    "online offline overseas underground downtown uptown everywhere nowhere somewhere across "
    "around "
    "below above behind next door central north south east west"
)
_ROLES: Final = (
    "support sales marketing hr it legal finance admin administrator moderator mod root user guest "
    "customer client agent manager boss owner buyer seller student teacher nurse doctor lawyer "
    "driver captain chef coach mom mum dad mother father grandma grandpa uncle aunt wife husband "
    "team staff crew management engineering developer engineer designer tester lead head chief "
    "president king queen prince princess lord sir madam god satan jesus santa batman superman "
    "groot spartacus legion ironman human robot bot ai machine assistant chatbot system test "
    "tester "
    "player gamer newbie noob beginner expert pro fan veteran senior junior citizen human local"
)
_PRODUCTS: Final = (
    "claude chatgpt gpt siri alexa gemini copilot bard llama cortana grok mistral perplexity bixby "
    "deepseek qwen jarvis hal google apple microsoft amazon openai anthropic facebook meta python "
    "java javascript typescript rust ruby perl swift kotlin linux windows android ios mac ubuntu "
    "excel word slack zoom jira github gitlab docker kubernetes postgres redis netflix spotify"
)
_PEOPLES: Final = (
    "irish british english scottish welsh french german spanish dutch swedish danish polish "
    "turkish greek swiss czech finnish jewish muslim catholic christian hindu buddhist atheist "
    "agnostic sikh thai arab arabic slovak croat serb kurd filipino filipina latino latina mestizo "
    "black white brown asian european protestant lutheran anglican orthodox mormon baptist quaker "
    "aries taurus virgo libra scorpio sagittarius capricorn aquarius pisces leftist democrat "
    "republican libertarian socialist communist liberal conservative"
)
_NOT_INTRODUCED: Final = frozenset(f"{_STATES} {_PLACES} {_ROLES} {_PRODUCTS} {_PEOPLES}".split())
# Few names end so; Crystal, Eric, Kate and Emily do not.
_NO_NAME_ENDS = re.compile(
    r"\w*(?:an|ish|ese|i|ed|ing|ous|ful|less|able|ible|some|ive|ical|tic|ual|ial|nal|eal|oral|egal"
    r"|ntal|ient|dent|gent|sent|ment|tant|nant|vant|iant|quate|iate|erate|urate|inate|ist|ward"
    r"|wards|proof|free|sick|like|worthy|ppy|ngry|zzy|mpy|nky|rsty|ghty|lthy|ness|ity|tion|sion"
    r"|ology|ware|ship|hood)",
    re.IGNORECASE,
)
_OTHERS: Final = _NOT_INTRODUCED | ENGLISH.common_words | ENGLISH.stop_words


def is_introduced(value: str) -> bool:
    """Say whether what follows `I'm` is a name: in capitals, and nothing that one is."""
    words = value.split()
    if not words or not all(word[0].isupper() and word[1:].islower() for word in words):
        return False
    plain = value.lower().split()
    return (
        is_name(value)
        and _OTHERS.isdisjoint(plain)
        and not any(map(_NO_NAME_ENDS.fullmatch, plain))
    )


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


_I_AM: Final = r"(?:i am|i'm|im)"
_ADVERB: Final = (
    r"(?:(?P<adverb>really|generally|usually|always|also|much|strongly|personally|definitely|still"
    r"|typically|absolutely|totally|truly|simply|especially|mostly|often|normally|actually"
    r"|honestly) )?"
)
_NOW: Final = r"(?:currently |now |still |actually |also |just |recently |originally )?"


_DIETS: Final = (
    "vegetarian|vegan|pescatarian|lactose[ -]intolerant|gluten[ -]intolerant|gluten[ -]free|coeliac"
    "|celiac|diabetic|left[ -]handed|colou?r[ -]?blind|dyslexic|deaf|hard of hearing|halal|kosher"
    "|asthmatic|epileptic"
)
_HABITS: Final = "eat|drink|use|wear|smoke|cook with|fly with|buy|write in|code in|travel by"

# `Hi, I'm Dana` and `Hi, I'm Livid` differ in nothing but what the words mean; with an
# occupation, a place or a courtesy after it, it is a name.
_PRESENTED: Final = (
    rf", an? (?:\d{{1,3}}[- ]years?[- ]old )?{A_JOB}|,? (?:and )?from (?-i:[A-Z])"
    r"|,? (?:and )?(?:it's |i'm |i am )?(?:nice|pleased|glad|happy|good|great|lovely"
    r"|a pleasure) to meet\b"
)

RULES: Final = (
    Rule("name", "fact", 9, begins(r"my (?:(?:full|real|whole) )?name(?:'s| is|:) "),
         "The user's name is {value}", is_name, NAME),
    Rule("part of the name", "fact", 9,
         begins(r"my (?P<part>first name|last name|surname|middle name|family name"
                 r"|given name)(?:'s| is) "),
         "The user's {part} is {value}", is_name, NAME),
    Rule("introduced", "fact", 9,
         begins(rf"(?:(?:hi|hello|hey|hiya|greetings)(?: there| everyone| all)?[,.!]* |^"
                rf"|(?<=\b(?:there|hello)[,.!] )|(?<=\bhi[,.!] )|(?<=\bhey[,.!] )){_I_AM} "
                rf"(?=[^\W\d_]+(?: [^\W\d_]+)?(?:{_PRESENTED}))"),
         "The user's name is {value}", is_introduced, NAME),
    Rule("called", "preference", 9,
         begins(r"(?:(?:please |just |you can |you may |feel free to |everyone |everybody |people "
                 r"|(?:my )?friends |all )*calls? me|i go by|i like to be called"
                 r"|i prefer to be called) "),
         "The user is called {value}", is_called, NAME),
    Rule("wish", "preference", 8,
         begins(r"i prefer (?:that|when|if|it if|it when) you (?:always |never |don't |only )*"),
         "", is_order, whole=True),
    Rule("prefers", "preference", 7, begins(rf"i {_ADVERB}prefer "),
         "The user {adverb}prefers {value}", is_plain),
    Rule("lives", "fact", 8,
         begins(rf"(?:i {_NOW}(?:live|reside)|{_I_AM} {_NOW}(?:living|residing)) (?P<at>in|at) "),
         "The user lives {at} {value}", is_place),
    Rule("based", "fact", 8,
         begins(rf"{_I_AM} {_NOW}based in "), "The user is based in {value}", is_place),
    Rule("comes from", "fact", 7, begins(rf"{_I_AM} (?:originally )?from |i come from "),
         "The user is from {value}", is_place),
    Rule("moved", "fact", 8, begins(rf"(?:i|i've|i have) {_NOW}moved to "),
         "The user moved to {value}", is_place),
    Rule("grew up", "fact", 6,
         begins(r"i (?P<how>was born(?: and raised)?|grew up) in "),
         "The user {how} in {value}", is_place),
    Rule("relocated", "fact", 8, begins(rf"(?:i|i've|i have) {_NOW}relocated to "),
         "The user relocated to {value}", is_place),
    Rule("age", "fact", 6, begins(rf"{_I_AM} {_NOW}(?=\d{{1,3}} years? old(?!\w))"),
         "The user is {value}", is_age),
    Rule("family", "fact", 7,
         begins(r"i have (?P<what>(?:an?|one|two|three|four|five|six|\d) (?:[\w-]+ )?(?:kids?"
                 r"|child|children|sons?|daughters?|dogs?|cats?|brothers?|sisters?|siblings?"
                 r"|horses?|twins|puppy|kitten|parrots?|rabbits?))(?![\w'-])"),
         "The user has {what} {value}", is_family),
    Rule("speaks", "fact", 6, begins(r"i (?:also |can )?speak (?:fluent )?"),
         "The user speaks {value}", is_language),
    Rule("works as", "fact", 8,
         begins(rf"i {_NOW}work as (?=an? )|{_I_AM} {_NOW}working as (?=an? )"),
         "The user works as {value}", is_role),
    Rule("works at", "fact", 8,
         begins(rf"(?:i {_NOW}work|{_I_AM} {_NOW}working) (?P<at>at|for) "),
         "The user works {at} {value}", is_employer),
    Rule("job", "fact", 7,
         begins(rf"{_I_AM} {_NOW}(?P<a>an?) "), "The user is {a} {value}", is_job),
    Rule("allergic", "fact", 10,
         begins(rf"{_I_AM} (?P<how>(?:also |very |severely |mildly |deathly |highly "
                 rf"|extremely |slightly )*)allergic to "),
         "The user is {how}allergic to {value}", is_allergen),
    Rule("allergy", "fact", 10,
         begins(r"i have (?P<how>an? (?!allergy\b)(?:[\w-]+ ){1,3}?)allergy"),
         "The user has {how}allergy", lambda value: not value),
    Rule("diet", "fact", 9,
         begins(rf"{_I_AM} (?P<how>(?:also |strictly |a |an |strict |lifelong "
                 rf"|now )*)(?P<diet>{_DIETS})\b"),
         "The user is {how}{diet} {value}", is_diet),
    *ATTRIBUTE_RULES,
    Rule("kin", "fact", 7,
         begins(rf"my (?P<what>{KIN}) is (?:called|named) "),
         "The user's {what} is called {value}", is_name, NAME),
    Rule("manner", "preference", 8,
         begins(r"(?:please )?(?:don't|do not|keep|make|write|give) "
                 r"(?=[^.!?\n]{0,80}\byour (?:[\w-]+ )?(?:answers|replies|responses)\b)"),
         "", is_manner, whole=True),
    Rule("standing order", "preference", 8, begins(r"(?:please )?always "),
         "", is_order, whole=True),
    Rule("standing order", "preference", 8, begins(r"(?:please )?never "),
         "", is_ban, whole=True),
    Rule("new order", "preference", 8,
         begins(r"(?:from now on|going forward|from here on(?: out)?|in (?:the )?future)(?:,"
                 r"| )\s*"),
         "", is_new_order, whole=True),
    Rule("habit", "preference", 7, begins(rf"i (?P<when>always|never) (?P<verb>{_HABITS})(?!\w) "),
         "The user {when} {verbs} {value}", is_plain),
    Rule("dislikes", "preference", 6,
         begins(r"i (?:really )?(?P<no>don't|do not) (?:really )?(?P<verb>like|eat|drink|enjoy) "),
         "The user does not {verb} {value}", is_plain),
    Rule("cannot stand", "preference", 6, begins(r"i (?:really )?(?:can't|cannot) stand "),
         "The user cannot stand {value}", is_stood),
    Rule("likes", "preference", 5,
         begins(rf"i {_ADVERB}(?P<verb>like|love|hate|dislike|enjoy|adore|loathe) "),
         "The user {adverb}{verbs} {value}", is_plain),
)  # fmt: skip
"""The first one that fits wins."""

REMEMBER_RULE: Final = Rule("remembered", "fact", 8, begins(""), "", is_fact, whole=True)
