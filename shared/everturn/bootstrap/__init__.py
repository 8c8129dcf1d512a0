"""Builds the parts of a process from its settings; the only importer of adapters."""
