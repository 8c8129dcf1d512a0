"""Embedders and chat models of services over HTTP."""
