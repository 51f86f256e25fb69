-- 1 while a source has the name we made of its address: its first poll may bring its own title.
-- Of the sources of before nobody knows who named them, so they keep what they have.

ALTER TABLE sources ADD COLUMN is_auto_named INTEGER NOT NULL DEFAULT 0;
