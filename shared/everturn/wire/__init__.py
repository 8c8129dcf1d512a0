"""Models of the HTTP messages, for edge, local, client, integrations and cli."""
