"""Extracts facts, events and patterns from a window of turns, by a model or by rules."""
