# Properties with setters, class attributes, class and static methods.
class Temperature:
    count = 0
    zero = -273.15

    def __init__(self, celsius):
        self.celsius = celsius
        Temperature.count += 1

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if value < self.zero:
            raise ValueError(f"{value} is below absolute zero")
        self._celsius = value

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @staticmethod
    def to_celsius(f):
        return (f - 32) * 5 / 9

    @classmethod
    def from_fahrenheit(cls, f):
        return cls(cls.to_celsius(f))


t = Temperature(25)
print(t.celsius, t.fahrenheit, Temperature.count)
t.celsius = -10
print(t.fahrenheit, t.count)
u = Temperature.from_fahrenheit(212)
print(u.celsius, Temperature.count, type(u).__name__, Temperature.to_celsius(32))
try:
    u.celsius = -300
except ValueError as e:
    print(e)
try:
    u.fahrenheit = 1
except AttributeError as e:
    print(type(e).__name__)
try:
    u.kelvin
except AttributeError as e:
    print(e)
u.note = "hot"
print(u.note, hasattr(t, "note"), hasattr(u, "celsius"))
u.zero = 0
print(u.zero, t.zero, Temperature.zero)
