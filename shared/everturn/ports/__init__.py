"""The doors to the outside, one Protocol each. No implementations."""
