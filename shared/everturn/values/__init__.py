"""Pure values and rules of conversations. No I/O, no clock, no environment."""
