"""The parts that every layer is made of: members, options that are also shown, state and hooks."""
