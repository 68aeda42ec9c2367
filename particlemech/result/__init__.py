"""What a run leaves behind: motion by name, reactions, mobility, files."""
