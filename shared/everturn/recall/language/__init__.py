"""Words of a text as terms for ranking. Pure."""
