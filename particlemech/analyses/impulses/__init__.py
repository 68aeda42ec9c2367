"""What impulses do to mechanisms: in the plane, to trees, to loops in space."""
