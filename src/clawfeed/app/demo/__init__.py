"""The whole product on a simulated world."""
