"""Scores turns by words and vectors, and selects the hits. Pure."""
