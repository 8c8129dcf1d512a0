"""Whether `I'm ...` at a greeting gives a name.

Nobody has a list of all names, so what else stands there is known by its form and by lists: how one
is, where, of what people, by what role. Fred, Susan and Rajesh Patel may be left out with it; a
name that is missed is said again.
"""

import re
from typing import Final

from everturn.extraction.rules.person_names import is_name
from everturn.recall.language.language import ENGLISH

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
