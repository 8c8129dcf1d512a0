"""A conversation as stored: head, turns, segments, watermark, tombstone. Pure."""
