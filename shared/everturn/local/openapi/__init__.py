"""Builds the OpenAPI document from the handlers."""
