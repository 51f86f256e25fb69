"""Editions: periods, states and moves, selection, stories, what is delivered."""
