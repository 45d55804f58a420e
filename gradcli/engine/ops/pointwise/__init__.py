"""Element by element: arithmetic, powers, comparisons, smooth and kinked functions, and choices between elements."""
