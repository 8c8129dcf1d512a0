"""Adapters to the interfaces of agent frameworks; each needs the extra of its name."""
