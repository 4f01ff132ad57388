"""Rules and what they say: conditions are read, judged and explained here, on values that somebody else collected."""
