"""The frame of all pages: who looks, in which words and colours, what was just done."""
