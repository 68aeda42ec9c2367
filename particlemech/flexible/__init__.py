"""Serial manipulators with flexible links and joints, after Graves and Tesar [G88]."""
