"""Keys, cursors, times, text and JSON. Pure, without numpy."""
