"""The everturn command."""
