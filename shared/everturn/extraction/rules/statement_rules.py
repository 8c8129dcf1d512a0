"""What a user states of himself, by rule: name, place, work, health, taste, wishes.

A rule says how a statement begins and what it may go on with. What does not fit is left out: the
rules find less than a model does, and should find nothing that is not so.
"""

from typing import Final

from everturn.extraction.rules.instructions import (
    is_ban,
    is_fact,
    is_manner,
    is_new_order,
    is_order,
)
from everturn.extraction.rules.introductions import is_introduced
from everturn.extraction.rules.occupations import A_JOB, is_employer, is_job, is_role
from everturn.extraction.rules.person_names import NAME, is_called, is_name
from everturn.extraction.rules.plain_values import (
    is_allergen,
    is_diet,
    is_family,
    is_language,
    is_plain,
    is_stood,
)
from everturn.extraction.rules.stated_attributes import is_age
from everturn.extraction.rules.stated_places import is_place
from everturn.extraction.rules.statement_rule import Rule, begins
from everturn.extraction.rules.user_attributes import ATTRIBUTE_RULES, KIN

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
