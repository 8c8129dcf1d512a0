"""Each call of the API as a value: its request, and how its response is read."""
