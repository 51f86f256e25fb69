"""One file per kind of channel, with its `TYPE`; `built_in` lists them."""
