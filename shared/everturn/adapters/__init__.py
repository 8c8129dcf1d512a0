"""Implementations of the ports. Only bootstrap names them."""
