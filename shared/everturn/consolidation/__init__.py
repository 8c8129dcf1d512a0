"""Makes memories of new turns: the queue job, its window of turns, its watermark."""
