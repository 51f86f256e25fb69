"""Codes in the words of the person who reads them, in English and Chinese."""
