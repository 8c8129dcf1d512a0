"""Lists of English words: common ones, and forms that no rule makes."""

from typing import Final

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
