"""What ranking knows of a language: stop words, common words, word forms, times and questions.

Words of other languages are matched unchanged. Another language needs another table.

The English lists hold common words, and forms that no rule makes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from everturn.recall.language.porter_stemmer import stem


@dataclass(frozen=True, slots=True)
class Language:
    """The parts of ranking that depend on a language."""

    stop_words: frozenset[str]
    common_words: frozenset[str]
    """What is said of anything, and so tells little."""
    irregular_forms: Mapping[str, str]
    """Forms that `stem` does not know -> the word."""
    stem: Callable[[str], str]
    time_words: re.Pattern[str]
    """What a turn that says when something happened holds: one word of these, with its borders."""
    time_forms: frozenset[str]
    """The words that `time_words` matches, but for years."""
    asks_when: re.Pattern[str]
    """What a question for a time holds."""
    asks_what_you_said: re.Pattern[str]
    """What a question for the assistant's own words holds."""
    order_words: frozenset[str]
    """One of these is in every `standing_order`, whose pattern takes long to look for."""
    standing_order: re.Pattern[str]
    """What a turn that asks for something from now on, not once, holds."""
    months: tuple[str, ...]
    weekdays: tuple[str, ...]


# What people say whatever they talk of: chosen by hand, as lists of the most frequent words begin.
# They tell less of a conversation than how rare they are in it makes believe.
_COMMON: Final = (
    "able above across act add again against ago agree all allow almost along already also "
    "although always among amount another answer any anyone anything appear area around ask "
    "aspect away back bad base become begin believe best better between big bit both break bring "
    "brought build business buy call came care case cause certain chance change chat check child "
    "choose clear close come common complete comprehensive concern consider contain continue "
    "conversation cost course create current cut day deal decide describe detail develop "
    "different difficult done down draw drive due during each early easy effect effort eight "
    "either else end enough entire especially even event ever every everything exactly example "
    "expect experience explain fact fall family far feel few fill final find fine first five "
    "focus follow form forward found four free friend full further future general get give go "
    "goal good great group grow guy half hand happen happy hard hear help high hold home hope "
    "hour house however hundred idea important improve include increase information instead "
    "interest issue item job join keep kind know large last late later lead learn least leave "
    "less let level life like likely line list little live long look lose lot love main make "
    "manage many matter maybe mean meet member mention method mind minute moment money month more "
    "morning most move much name near need never new next nice night nine nothing notice now "
    "number offer often old once one only open option order other out overview own page paper "
    "part past pay people perhaps person personal place plan play please point possible prepare "
    "present pretty probably problem process product program project provide put question quick "
    "quite reach read ready real reason receive recent recommend related remember report rest "
    "result right role room run said same save say second see seem send sense series session set "
    "seven several share short show side simple since single situation six size small some "
    "someone something soon sort special specific spend stand start state stay step still stop "
    "story strong study stuff such suggest summarize summary support sure system take talk task "
    "team tell ten thank thing think third though thought thousand three through throughout time "
    "today together told took top topic total toward town track travel try turn two type under "
    "understand until up upon use usual value various visit wait walk want watch way week weekend "
    "well whether while whole wish within without wonder word work world worry write wrong year "
    "yes yesterday yet young"
)
COMMON_WORDS: Final = frozenset(_COMMON.split())

# A verb or noun, and forms of it.
_FORMS: Final = (
    "become became | begin began begun | bite bit bitten | blow blew blown | break broke broken | "
    "bring brought | build built | buy bought | catch caught | child children | choose chose "
    "chosen | come came | dig dug | draw drew drawn | drink drank drunk | drive drove driven | "
    "eat ate eaten | fall fell fallen | feed fed | feel felt | fight fought | find found | fly "
    "flew flown | foot feet | forget forgot forgotten | freeze froze frozen | get got gotten | "
    "give gave given | go went gone | grow grew grown | hang hung | hear heard | hide hid hidden "
    "| hold held | keep kept | know knew known | lead led | learn learnt | leave left | lend lent "
    "| light lit | lose lost | make made | man men | mean meant | meet met | mouse "
    "mice | pay paid | person people | ride rode ridden | rise rose risen | run ran | say said | "
    "see saw seen | seek sought | sell sold | send sent | sew sewn | shake shook shaken | shoot "
    "shot | show shown | sing sang sung | sit sat | sleep slept | speak spoke spoken | spend "
    "spent | stand stood | steal stole stolen | stick stuck | strike struck | swim swam swum | "
    "take took taken | teach taught | tear tore torn | tell told | think thought | throw threw "
    "thrown | tooth teeth | understand understood | wake woke woken | wear wore worn | wife wives "
    "| win won | woman women | write wrote written"
)
IRREGULAR_FORMS: Final = {
    form: forms[0] for forms in (group.split() for group in _FORMS.split("|")) for form in forms[1:]
}
"""A form that no rule makes -> the word it is of: `went` -> `go`."""


_STOP_WORDS = (
    "a an the and or but if of to in on at by for with from as is are was were be been being am "
    "do does did doing have has had having i you he she it we they me him her us them my your his "
    "its our their this that these those what which who whom when where why how can could will "
    "would shall should may might must not no so than too very just about into over after before "
    "then there here s t re ve ll d m don didn doesn isn aren wasn weren hasn haven hadn couldn "
    "wouldn shouldn"
)

_TIME_WORDS = (
    "yesterday today tonight tomorrow ago last next since weekend weekends week weeks month months "
    "year years day days monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december recently just morning "
    "evening night"
)

ENGLISH = Language(
    stop_words=frozenset(_STOP_WORDS.split()),
    common_words=COMMON_WORDS,
    irregular_forms=IRREGULAR_FORMS,
    stem=stem,
    time_words=re.compile(rf"\b({'|'.join(_TIME_WORDS.split())}|(?:19|20)\d\d)\b", re.IGNORECASE),
    time_forms=frozenset(_TIME_WORDS.split()),
    asks_when=re.compile(
        r"\b(when|how long|(?:what|which) (?:date|day|month|year|time|week|weekend))\b",
        re.IGNORECASE,
    ),
    asks_what_you_said=re.compile(
        r"\byou\b.{0,20}\b(said|say|told|tell|suggest|recommend|mention|explain|gave|give|provide"
        r"|list|propose|advise)",
        re.IGNORECASE,
    ),
    order_words=frozenset({"always", "keep", "never", "now", "prefer", "rather", "remember"}),
    standing_order=re.compile(
        r"(?:^|[.!?,]\s+)(?:please\s+)?(?:always|never|from now on|remember (?:that|to)"
        r"|keep in mind|make sure (?:to|you) always)\b"
        r"|\bI(?:['\u2019]d| would)? (?:really |much )?(?:prefer|rather)\b",
        re.IGNORECASE,
    ),
    months=(
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ),
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)  # fmt: skip
