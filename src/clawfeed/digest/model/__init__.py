"""Words by a language model: asked, checked, grounded in their sources, paid for within a cap."""
