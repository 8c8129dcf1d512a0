"""The Lambda side of a request: identity, validation, metrics, responses."""
