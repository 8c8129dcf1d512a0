"""The prompt for a model, and how its answer is parsed and filtered. Pure."""
