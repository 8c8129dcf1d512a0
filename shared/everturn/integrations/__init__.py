"""Adapters to the interfaces of agent frameworks; each needs an extra."""
