"""The methods and attributes that a program may use, for each type of value."""
