"""Editions in the making: their tasks, lists, articles, stories and readers."""
