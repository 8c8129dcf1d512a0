"""Remember, change, read and retract memories."""
