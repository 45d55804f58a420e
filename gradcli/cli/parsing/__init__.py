"""Click, as every command here uses it: words that know their places, typed values, limits, pages of help, errors."""
