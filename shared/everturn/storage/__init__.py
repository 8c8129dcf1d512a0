"""Use cases as plain functions that take ports as keyword arguments."""
