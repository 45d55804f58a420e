"""The forward of a custom Function, run again alone: what is inside it, and which ways it takes."""
