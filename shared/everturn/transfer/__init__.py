"""Export all that a scope has, and import it again."""
