"""The index of the memories of a scope, and their ranking."""
