"""Delete a conversation, redact a turn, remove the newest turn."""
