"""What can be asked of a mechanism besides its motion."""
