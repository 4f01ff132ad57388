"""Pure models of what is simulated: time is an argument, chance is a seeded generator, nothing is read or sent."""
