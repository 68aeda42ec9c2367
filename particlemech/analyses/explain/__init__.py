"""The equations of a mechanism at one instant, on a page."""
