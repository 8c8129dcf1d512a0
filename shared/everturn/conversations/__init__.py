"""Append to conversations, read them, change them; their segments."""
