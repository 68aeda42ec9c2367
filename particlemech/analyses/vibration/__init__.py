"""Small vibrations about rest or a steady motion."""
