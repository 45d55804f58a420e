"""Click, as every command here uses it: words that know their places, typed values, pages of help, errors."""
