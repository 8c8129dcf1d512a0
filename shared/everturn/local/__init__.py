"""Everturn on one's own machine: gateway, server, workers."""
