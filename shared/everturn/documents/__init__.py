"""Small JSON values of agent frameworks, stored under etags."""
