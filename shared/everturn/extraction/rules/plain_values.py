"""Check what a statement goes on with: a thing by its name, a place, a date, a diet, a family.

An attribute may be named without a value of it: `My birthday is cancelled`. So each attribute
checks the form of its value, such as a blood type, a time zone or a nationality.

No list holds all places that one lives in or comes from. A place is known by its capital, and
other words with capitals by a list.
"""

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
_DEICTIC_RE = re.compile(_DEICTIC, re.IGNORECASE)
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


_PLACES: Final = (
    "city|town|village|countryside|suburbs?|apartment|flat|house|hamlet|farm|island|coast|desert"
    "|mountains|studio|dorm|neighbou?rhood|area|capital|outskirts|state|province|condo|loft|cottage"
)
_IN_PLACE = re.compile(
    rf"(?:the |\d+\w? )?[A-Z]|(?:a|an|the)\b(?: [\w-]+){{0,4}} (?:{_PLACES})\b|downtown [A-Z]"
    r"|(?:north|south|east|west|central|upstate|rural)\w* [A-Z]"
)
# What people also move to and live in; among capitals within a word are no places at all.
_TOOLS: Final = (
    "Excel|Jupyter|Python|Java|Rust|Ruby|Rails|Perl|Swift|Kotlin|Scala|Elixir|Go|Node|React|Vue"
    "|Angular|Svelte|Django|Flask|Spring|Laravel|Docker|Kubernetes|Podman|Helm|Terraform|Ansible"
    "|Jenkins|Gitlab|Github|Bitbucket|Jira|Confluence|Slack|Teams|Zoom|Notion|Obsidian|Figma|Sketch"
    "|Linux|Ubuntu|Debian|Fedora|Arch|Windows|Mac|Android|Chrome|Firefox|Safari|Edge|Vim|Emacs"
    "|Outlook|Gmail|Word|Powerpoint|Azure|Heroku|Netlify|Vercel|Cloudflare|Postgres|Redis|Kafka"
    "|Mongo|Oracle|Snowflake|Spark|Airflow|Bazel|Gradle|Maven|Webpack|Vite|Poetry|Signal|Discord"
    "|Telegram|Whatsapp|Spotify|Netflix|Minecraft|Stripe|Shopify|Wordpress|Plan|Step|Chapter|Level"
    "|Phase|Section|Part|Stage|Round|Tab|Page|Slide|Task|Question|Room|Floor|Desk|Marketing|Sales"
    "|Engineering|Finance|Legal|Support|Accounting|Management|HR|IT|QA|Procurement|Operations|Security"
    "|Skyrim|Roblox|Fortnite|Hogwarts|Gotham|Narnia|Mordor|Middle-earth|Azeroth|Hyrule|Atlantis|Tatooine"
    "|Wakanda|Westeros|Rivendell|Tortuga|Neverland|Wonderland|Asgard|Krypton|GTA|WoW"
)
_NO_PLACE = re.compile(
    rf"^(?:the )?(?:Mars|Venus|Hell|Heaven|{_TOOLS})(?![\w'-])|^(?:the )?\w*[a-z][A-Z]{{2}}"
    rf"|^(?:the )?(?!(?:Mc|Mac|De|La|Le|Du|Fitz)[A-Z])[A-Z][a-z]+[A-Z]"
    r"|^(?:the )?(?!(?:US|USA|UK|UAE|NYC|NY|LA|SF|DC|EU|[A-Z]{2}(?=$|,))\b)[A-Z]{2,}\b"
    r"|^[A-Z][\w+#.]* v?\d+\.\d|\b(?:style|cuisine|pizza|food|music|time zone)\b"
    r"|\b(?:until|temporarily|for (?:now|the (?:week|day|month)|an? \w+))\b"
)
# For how long is left to whoever reads it.
_AT_PRESENT = re.compile(r",? (?:right now|at the moment|at present|these days)$")


def is_place(value: str) -> bool:
    """Say whether a value is a place that has a name, or says what kind it is."""
    place = _AT_PRESENT.sub("", value)
    return is_clear(place) and bool(_IN_PLACE.match(place)) and not _NO_PLACE.search(place)
