"""Implementations of the ports; only bootstrap names them."""
