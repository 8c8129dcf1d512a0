"""Compare-and-swap, listing and deletion over any object store."""
