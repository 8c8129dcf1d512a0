"""What one works as, and for whom."""

import re
from typing import Final

from everturn.extraction.rules.plain_values import is_clear, is_whole

_EMPLOYERS: Final = (
    "hospital|company|bank|school|university|college|startup|start-up|firm|agency|studio|store|shop"
    "|restaurant|lab|laboratory|clinic|government|nonprofit|non-profit|charity|library|museum|hotel"
    "|factory|newspaper|magazine|cafe|bakery|warehouse|airline|practice|pharmacy|ngo|council|city"
    "|corporation|organization|organisation|institute|office of|department|airport|theat(?:er|re)"
)
_AT_WORK = re.compile(rf"(?:the )?[A-Z]|(?:a|an|the)\b(?: [\w/'-]+){{0,4}} (?:{_EMPLOYERS})\b")
_JOBS: Final = (
    "engineer|developer|teacher|nurse|doctor|producer|technologist|designer|lawyer|attorney|student"
    "|manager|scientist|writer|author|artist|chef|accountant|analyst|consultant|architect|professor"
    "|researcher|programmer|journalist|photographer|musician|freelancer|electrician|plumber|dentist"
    "|carpenter|mechanic|pilot|librarian|translator|therapist|psychologist|pharmacist|paralegal"
    "|editor|paramedic|firefighter|technician|administrator|director|coach|instructor|veterinarian"
    "|surgeon|physicist|chemist|biologist|mathematician|economist|statistician|entrepreneur|barista"
    "|bartender|waiter|waitress|driver|farmer|baker|tailor|realtor|recruiter|filmmaker|screenwriter"
    "|inventor|counselor|colou?r technologist|social worker|police officer|data analyst|retiree"
)
A_JOB: Final = rf"(?:[\w/+#-]+ ){{0,3}}?(?:{_JOBS})\b"
# What is said of a job in jest, in hope or of the past.
_NO_JOB = re.compile(
    r"\b(?:fan|lover|terrible|bad|lousy|awful|horrible|good|great|better|visual|quick|slow|fast|not"
    r"|no|former|ex|wannabe|huge|big|lifelong|perpetual|nervous|eternal|backseat|frustrated"
    r"|worried)\b",
    re.IGNORECASE,
)
# A manager's son is no manager, and a student of life goes to no school.
_JOB_GOES_ON = re.compile(
    r"$|[,/]|\s(?:at|for|in|from|by|with|who|and|or|now|on|working|based|specializ\w+)\b"
    r"|\sof (?=[A-Z])"
)
_AS_JOB = re.compile(
    rf"(?:an? |the )(?!team\b|whole\b|result\b|group\b|unit\b){A_JOB}|(?:an? )(?=[\w-])"
)
# What one is in a play: in a game, on a screen, in whatever is written in capitals and no place.
_GAMES: Final = (
    r"minecraft|skyrim|gta|wow|world of warcraft|warcraft|roblox|(?:the )?sims|d&d|dungeons"
    r"|fortnite"
    r"|stardew\w*|zelda|final fantasy|msfs|x-?plane|elden ring|genshin|second life|runescape"
    r"|animal crossing|fallout|cyberpunk|star citizen|elite dangerous|valorant|pok[e\u00e9]mon"
    r"|league of legends|overwatch|destiny|civ(?:ilization)?|star wars|star trek|hogwarts|gotham"
)
_PLAYED = re.compile(
    rf"\b(?:in|on|at|from|for|of) (?:the )?(?:{_GAMES})(?!\w)|\b(?:in|on|at|for) (?:an? |the "
    rf"|my |our |this "
    r"|that )?(?:[\w'-]+ ){0,3}?(?:games?|films?|movies?|books?|novels?|series|shows?|plays?"
    r"|dreams?|song"
    r"|simulators?|sims?|campaign|party|guild|raid|musical|opera|comics?|stor(?:y|ies)|anime"
    r"|server|"
    r"life of crime|past life|another life)\b(?! (?:business|industry|sector|company|studio"
    r"|shop|store|compan\w+|design))",
    re.IGNORECASE,
)
_IN_CAPITALS = re.compile(
    r"\bin (?:the )?(?!(?:US|USA|UK|UAE|NYC|NY|LA|SF|DC|EU|IT|HR|QA|NHS|RAF|USAF|ICU|ER|NICU"
    r"|ML|AI|NLP|R&D"
    r"|PR|UX|BBC|NATO|CS|STEM|[A-Z]{2})\b)[A-Z][A-Z0-9]{2,}\b"
)
_NO_WORK = re.compile(
    r"(?:a|an|the|my)\b.{0,30}\b(?:team|whole|result|group|unit|pace|while|living|hour|distance"
    r"|speed|rate|expense|desk|slave|dog|charm|deadline)\b|(?:Level|Floor|Desk|Table|Step|Phase) \d"
    r"|(?:Peanuts|Satan|Santa|God|Batman|Dumbledore|Skynet|Hydra|SHIELD|Hogwarts|Starfleet)\b"
    r"|[A-Z]\w*day\b|.*'s [a-z]|(?:AM|PM|I"
    r"|OK)\b"
)


def is_employer(value: str) -> bool:
    """Say whether a value is whom or where one works for, not how or when."""
    return is_clear(value) and bool(_AT_WORK.match(value)) and not _is_none(value)


def is_role(value: str) -> bool:
    """Say whether a value is what one works as."""
    return bool(_AS_JOB.match(value)) and not _is_none(value) and is_whole(value)


def is_job(value: str) -> bool:
    """Say whether a value begins with an occupation and goes on as one does."""
    found = re.match(A_JOB, value, re.IGNORECASE)
    if not found or _NO_JOB.search(found[0]) or _is_played(value):
        return False
    return is_whole(value) and _JOB_GOES_ON.match(value, found.end()) is not None


def _is_none(value: str) -> bool:
    return _NO_WORK.match(value) is not None or _is_played(value)


def _is_played(value: str) -> bool:
    return _PLAYED.search(value) is not None or _IN_CAPITALS.search(value) is not None
