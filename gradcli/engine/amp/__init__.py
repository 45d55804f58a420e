"""Half precision by the way: blocks that cast what they compute with, and losses scaled for it."""
