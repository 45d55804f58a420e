"""The checker checked: mistakes that are planted, and have to be found and named."""
