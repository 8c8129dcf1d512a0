"""What the conversations of a scope are about: clusters of turns."""
