"""Formats results and errors for a terminal."""
