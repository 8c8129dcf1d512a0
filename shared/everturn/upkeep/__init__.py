"""Erase a scope; sweep what crashes and the expiry of conversations left behind."""
