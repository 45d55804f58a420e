"""Everything that people and machines are shown."""
