"""The same elements in another shape or order: views, joining, splitting, padding, strides."""
