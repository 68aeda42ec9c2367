"""What the user says: mechanisms, their parts, signals and units, and the files they are read from."""
