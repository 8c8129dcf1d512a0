"""The side index of the turns of a conversation: rows, chunks, vectors."""
