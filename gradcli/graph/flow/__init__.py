"""The gradient on its way back through the calls and turns of loops of a program: how much enters, how much goes on."""
