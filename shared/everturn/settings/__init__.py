"""The environment of a process, parsed once into frozen models."""
