"""The two databases: connections, transactions, files, errors and backups."""
