"""What a program may ask of each type of value: methods, and attributes to read and to set."""
