"""The Lambda side of a request: identity, validation, errors, answers."""
