"""From a mechanism to its equations of motion, a `System`: formulations, and what they share."""
