"""Checks that the cited turns support a statement. Pure."""
