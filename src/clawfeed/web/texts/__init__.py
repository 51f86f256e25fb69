"""What the pages say, by key: one module for each area, put together in `all_texts`."""
