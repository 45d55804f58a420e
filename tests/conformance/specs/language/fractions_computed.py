from fractions import Fraction

print(Fraction(1, 3) + Fraction(1, 6), Fraction('0.25'), float(Fraction(3, 4)), repr(Fraction(2, 4)))
print(Fraction(1, 2) * 2, Fraction(1, 2) < 1, Fraction(7, 2) // 1, Fraction(0.5))
print(sum([Fraction(1, i) for i in range(1, 5)]), Fraction(3, 2) ** 2, -Fraction(1, 2))
print(1 / Fraction(2, 3), Fraction(3.14159).limit_denominator(100), Fraction(1, 2) == 0.5)
print({Fraction(1, 2): 1}[Fraction(2, 4)], int(Fraction(7, 2)), abs(Fraction(-1, 2)))
print(Fraction(1, 2).numerator)
