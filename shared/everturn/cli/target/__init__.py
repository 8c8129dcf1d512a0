"""Which store or server a command works on, and the calls it makes there."""
