"""From what a person wrote or pasted to a source that can be stored."""
