"""What everyone does: inputs, the result in float64, and Hasten's call, by theme."""
