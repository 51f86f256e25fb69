"""Sources as rows: who may see them, who follows them, packs of them."""
