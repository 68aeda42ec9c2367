"""What a driven mechanism does whatever its masses: cycles, toggles and assemblies, in the plane and in space."""
