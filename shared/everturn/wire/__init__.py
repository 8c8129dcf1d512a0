"""Models of the HTTP messages, as the client, integrations and the command read them."""
