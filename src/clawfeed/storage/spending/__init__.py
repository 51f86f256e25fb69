"""What costs money: paid reads and language models."""
