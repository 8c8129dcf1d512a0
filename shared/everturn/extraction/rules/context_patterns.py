"""What may stand before, after and around a statement: patterns of English."""

import re
from typing import Final

# Said right after a statement, or at its end, it takes the statement back.
TAKEN_BACK = re.compile(
    r"\b(?:just )?(?:kidding|joking)\b|\bjk\b|\bj/k\b|(?<!\w)/[sj]\b|\blo+l\b|\blmf?ao\b|\brofl\b"
    r"|\b(?:ha){2,}h?\b|\b(?:he){2,}\b|\bpsych\b|\bas a joke\b|\bironically\b|\bnever ?mind\b"
    r"|\bscratch that\b|\bignore (?:that|this|it)\b|(?<!n\'t )(?<!never )\bforget (?:that|it"
    r"|what|this|i)\b"
    r"|\bno,? wait\b|\bwait,? no\b|\bi meant?\b|\bcorrection\b|\bnot really\b|\bor not\b|\bas if\b"
    r"|\b(?:not|isn't|wasn't|no longer) (?:true|real(?!ly)|serious|anymore|right|correct)\b"
    r"|(?<!\w)not[.!)\s]*$|^\W*nope\b|^\W*actually,? no\b"
    r"|\bin (?:my dreams|the (?:show|film|movie|play|game|book|novel|series|song))\b"
    r"|\bsaid no ?(?:one|body)\b|\btrue or false\b|\bor (?:do|am|did) i\b|\bno more\s*$"
    r"|\bas the (?:song|saying|joke) goes\b|\bi cannot lie\b"
    r"|(?<!\ba )(?<!\bmy )(?<!\bour )(?<!\bthe )\bbaby\W*$|\byou wish\b|\bi wish\W*$|\bi wish[,!]"
    r"|\bwish i (?:did|was|were|had|could)\W*$|\bin (?:an? |my |our |this |the )?(?:[\w-]+ )?"
    r"(?:video ?game|simulator|simulation|sim|roleplay|larp|mmo|rpg|vr|parallel universe)\b"
    r"|\b(?:that|that's|thats|it's|its|which|(?<!\w)is|are|was|all) (?:is |was |totally |all |just "
    r"|actually |obviously |of course |not )*(?:an? )?(?:fake|bogus|made ?-?up|invented|lie|joke"
    r"|bs|bullshit|placeholder|fiction(?:al)?)\b|\W(?:fake|made[ -]up|fictional)\W*$"
    r"|[\U0001f602\U0001f923\U0001f61c\U0001f61d\U0001f609\U0001f643]"
    r"|[;:]-?[PpDd)](?!\w)(?<=;.)|\bxd\b",
    re.IGNORECASE,
)
# What follows a value and says for whom or when it is: without that it would be another one.
CONDITION = re.compile(
    r"\W*+(?:(?:but|and|so|yet|though|just|only|please|pls|plz|kindly|also)\b\W*+)*+"
    r"(?:(?:don't|dont|do not|never|keep|unless|except|until|delete|forget|erase|hide)\b"
    r"|only (?:if|when|for|on|use|share|in|at|during|after|before|until|to|my|with|the)\b"
    r"|not (?:for|to|in|on|at|after|before)\b"
    r"|if (?!you (?:need|want|wonder|are)\b)|for (?:your eyes|emergenc|now\b)|between (?:you|us)\b"
    r"|just between\b|off the record\b|strictly\b|confidential|private\b|secret\b)",
    re.IGNORECASE,
)
# Said in the next sentence of what was said in this one.
KEPT_BACK = re.compile(
    r"\W*+(?:(?:but|and|so|please|pls|plz|just|also)\b\W*+)*+(?:(?:don't|dont|do not|never"
    r"|you (?:must not"
    r"|shouldn't|can't)) (?:\w+ )?(?:share|tell|use|store|save|repeat|mention|remember|record"
    r"|keep|pass|show"
    r"|give|send|forward|leak|publish|post|write|note|reveal|quote)\b.{0,20}\b(?:it|that|this|them"
    r"|any ?(?:one|body))\b|keep (?:it|that|this) (?:to yourself|secret|private|between"
    r"|confidential"
    r"|off)|(?:that|this|it)(?:'s| is) (?:a secret|confidential|private|between us"
    r"|off the record))",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"\b(?:said|says|claims|claimed|joked|told me|wrote|according to|quoting|sang|sings"
    r"|(?:as )?(?:they|people|we) (?:all )?say|used to (?:say|tell|sing))\b",
    re.IGNORECASE,
)

# What may stand before a statement and changes nothing.
_FILLERS: Final = (
    "hi|hey|hello|hiya|good (?:morning|afternoon|evening)|greetings|well|so|ok|okay|oh|and|also|but"
    "|plus|yes|yeah|yep|sure|thanks|thank you|thx|great|cool|nice|perfect|right|actually|honestly"
    "|personally|btw|by the way|fyi|for (?:the record|context|(?:future )?reference"
    "|your information)"
    "|please|just so you know|just|now|anyway|anyways|ps|p\\.s\\.|first|first of all"
    "|one more thing|update|reminder|important|because|since|to be honest|tbh|in general"
    "|generally|as you know"
    "|there|everyone|all|again|too|claude|chatgpt|assistant|quick note|about me|first off"
)
REMEMBERING: Final = (
    r"(?:(?:can|could|would|will) you please |(?:i(?:'d| would) like|i want|i need) you to )?"
    r"(?:please |always |just |also ){0,2}"
    r"(?:remember|note|take note|make a note|keep in mind|bear in mind|don't forget|memorize|save"
    r"|you should (?:know|remember)|i want you to know|let me tell you|store in (?:your )?memory)"
)
# Possessive: what was read as one of them is not read as another, or a long row takes for ever.
LEAD = re.compile(
    rf"(?:\W*(?:{REMEMBERING}(?: this| the following)?"
    r"(?: ?[,:]| that| to)?(?!\w)"
    rf"|(?:{_FILLERS})(?!\w)))*+\W*",
    re.IGNORECASE,
)
JOINT = re.compile(
    r"(?:[,;\u2013\u2014]|\s-{1,2})\s*(?:(?:and|but|so|because|since|plus|also|as|yet"
    r"|now)\s+){1,2}$|\s(?:and|but|because|since)\s+(?:also\s+)?$",
    re.IGNORECASE,
)
# What follows a colon may be somebody else's words: `My teacher: I prefer essays`.
COMMA = re.compile(r"(?:[,;\u2013\u2014]|\s-{1,2})\s*$")
FIRST_PERSON = re.compile(r"(?:i|i'm|i've|my|i'll)\b", re.IGNORECASE)
# Under one of these the rest of a sentence is no plain statement.
GOVERNED = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|imagining|pretend\w*|assume|assuming"
    r"|say|says|said|saying|tell|tells|told|asks?|asked|asking|claim\w*|think|thinks|thought"
    r"|thinking|believe\w*|heard|hear|wrote|writes|reads?|guess\w*|wish\w*|hop(?:e|es|ed|ing)"
    r"|would|could|should|might|may|maybe|perhaps"
    r"|probably|possibly|when|whenever|until|once|before|after|while|story|characters?|novel|song"
    r"|lyrics|joke\w*|dream\w*|quotes?|quoted|used to|as though|doesn't|didn't|don't|not|never"
    r"|isn't|how|what|why|who|where|which|rumou?rs?|signs?|bio|profile|texts?|line|called|named"
    r"|(?:is|was|were|be|am|are|all|'s|'re) like|goes|went"
    r"|do|does|did|is it|are you|he|she|they)\b",
    re.IGNORECASE,
)
NEGATED_REASON = re.compile(r"\b(?:not|n't)\b.*\b(?:because|since)\s+$", re.IGNORECASE)

_ASKING: Final = (
    "can|could|would|will|should|shall|do|does|did|is|are|am|was|were|have|has|may|might|what"
    "|what's|how|how's|why|when|where|who|which|any|anything|wondering|wonder|don't|isn't|won't"
)
_SUBJECTS: Final = (
    "i|i'm|i've|i'd|i'll|my|we|we're|you|you're|he|she|it|it's|they|there|there's|this|that|that's"
    f"|please|let's|let|thanks|{_ASKING}"
)
CUT = re.compile(
    # What stands inside a run may be part of a number or a name: 7-9, f(x), Monday - Friday.
    r"\s*(?:;(?=\s|$)|\s[(\[\u2013\u2014]|(?<=[a-z])\u2014(?=[a-z])|:\s"
    r"|(?<=[a-z])-{1,2}\s(?!and\b|or\b|to\b)|\s-{1,2}\s(?!\w+day\b|\d))"
    rf"|(?:,\s*|\s+)(?:and|but|so|or|yet)\s+(?:then\s+|also\s+)?(?:{_SUBJECTS})(?!\w)"
    r"|,?\s+but,?\s+(?!(?:not|only|also|just|never|except|no)\b)"
    rf"|,\s*(?:which|because|since|though|although|as|help|so|like i|{_SUBJECTS})(?!\w)"
    r"|,\s*(?:the|a|my|our|their|its)\s(?:[\w'-]+\s){0,3}?[\w-]+(?:'s|\s(?:is|are|was|were|make"
    r"|makes))\b|,\s*(?-i:[A-Z])\w+,?\s+(?:what|how|can|could|would|do)\b"
    r"|\s+(?:too|as well|so much|a lot|very much|though|lately|of course|btw|by the way)\s*$",
    re.IGNORECASE,
)
# A question without its mark.
ASKED_AT_END = re.compile(r",\s*(?:right|innit|huh|eh|no|nah|isn't it|correct)\W*$", re.IGNORECASE)
OPEN_QUESTION = re.compile(rf"\b(?:{_ASKING})\b", re.IGNORECASE)
TAG_QUESTION = re.compile(
    r"\W*(?:(?:and|but|so|or)\s+)?(?:(?:is|isn't|was|wasn't) (?:that|it|this)\b"
    r"|(?:do|don't|did|didn't|am|aren't|have|haven't|can|can't|would|was|were|is|isn't)(?:n't)? i\b"
    r"|(?:do|did|can|could|don't|didn't) you (?:even |still )?(?:know|remember|believe|recall)\b"
    r"|are you sure|or (?:is|am|do|was|what)\b|what if|who (?:says|said|am)\b|how (?:do|can|would) "
    r"(?:i|you|we) (?:know|say)|have i\b)"
    r"|.*\bor (?:not|something|what)\b",
    re.IGNORECASE,
)
