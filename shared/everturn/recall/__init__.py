"""Finds the old turns that answer a query."""
