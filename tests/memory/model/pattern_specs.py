"""Patterns that tests draw."""

from hypothesis import strategies as st

from everturn.memory.model.pattern_spec import PatternSpec
from everturn.values.visible_text import is_blank
from strategies.json_values import texts

_texts = texts.map(str.strip).filter(lambda text: not is_blank(text))
_lists = st.lists(_texts, max_size=4).map(tuple)

pattern_specs: st.SearchStrategy[PatternSpec] = st.builds(
    PatternSpec, st.just("") | _texts, st.just("") | _texts, _lists, _lists, _lists, _lists
).filter(lambda spec: bool(spec.identity_text))
"""Patterns as they are read: nothing blank, no white space around a text."""
