"""Reads conversations out of the files of other programs."""
