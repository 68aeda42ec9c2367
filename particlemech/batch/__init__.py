"""Many variants of a mechanism at once."""
