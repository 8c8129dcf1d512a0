"""Extraction without a model: rules for what users state. Pure."""
