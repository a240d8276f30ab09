"""What keys do, all from one table, and what they ask for."""
