"""Erase a scope; sweep what crashes and expiry left behind."""
