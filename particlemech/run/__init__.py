"""From a system to its motion: start, IDA, explicit steps, events, and the one verb `simulate`."""
