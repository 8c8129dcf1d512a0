"""Text for prompts: retrieved memories, the pinned block, the context under a budget."""
