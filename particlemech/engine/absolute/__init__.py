"""The second opinion: x, y, angle of every body, and multipliers for all joints and drivers."""
