"""The engine of trees in space: joint coordinates, O(n) sweeps, after Passerello and Huston [P72]."""
