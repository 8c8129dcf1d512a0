"""The object store and the queue in a directory of this machine."""
