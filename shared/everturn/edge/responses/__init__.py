"""Turns results into the JSON bodies of HTTP responses."""
