"""The program moved to other points, shapes and branches, where what was right by chance is found wrong."""
