"""What people and machines are shown."""
