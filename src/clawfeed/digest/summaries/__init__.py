"""The words of an edition without a model: its sources' own, cleaned and cut to size."""
