"""How many tokens a text takes, roughly.

Not here: a model's own tokeniser; budgets only need a bound that is the same everywhere.
"""

# English prose runs near four bytes a token. https://platform.openai.com/tokenizer
_BYTES_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Return the bytes of a text in UTF-8 divided by four, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
