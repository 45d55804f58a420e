"""Is a gradient right? Derivatives with error bars, and the verdicts that follow from them."""
