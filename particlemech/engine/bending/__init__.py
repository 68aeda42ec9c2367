"""The engine of chains of bending bodies, rigid ones among them, after Graves and Tesar [G88]."""
