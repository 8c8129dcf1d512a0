"""The files of a list cache and the order of their rows. Pure."""
