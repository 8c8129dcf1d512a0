"""How many tokens a text takes, roughly."""

# English prose runs near four bytes a token. https://platform.openai.com/tokenizer
_BYTES_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Return the tokens of a text."""
    return tokens_of_bytes(len(text.encode("utf-8", "surrogatepass")))


def tokens_of_bytes(size: int) -> int:
    """Return the tokens of so many bytes in UTF-8: a quarter, rounded up."""
    return -(-size // _BYTES_PER_TOKEN)


def bytes_of_tokens(tokens: int) -> int:
    """Return the most bytes in UTF-8 that take no more than so many tokens."""
    return tokens * _BYTES_PER_TOKEN
