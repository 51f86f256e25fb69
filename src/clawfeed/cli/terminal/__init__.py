"""What every command needs: options, numbers, streams, widths, tables."""
