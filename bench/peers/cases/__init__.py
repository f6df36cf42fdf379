"""What all contenders share, by theme: inputs, the result in float64, and Hasten's call."""
