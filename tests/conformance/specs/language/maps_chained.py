from collections import ChainMap

c = ChainMap({'a': 1}, {'a': 2, 'b': 3})
print(c['a'], c['b'], dict(c), len(c), 'b' in c, c.get('z', 0), list(c.maps))
c['q'] = 4
print(c.maps[0], c)
d = c.new_child({'a': 9})
print(d['a'], sorted(d), d.parents['a'])
