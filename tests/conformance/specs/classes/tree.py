# A binary tree: insert, walk, depth.
class Node:
    def __init__(self, key):
        self.key = key
        self.left = self.right = None


class Tree:
    def __init__(self, keys=()):
        self.root = None
        self.size = 0
        for key in keys:
            self.insert(key)

    def insert(self, key):
        if self.root is None:
            self.root = Node(key)
            self.size += 1
            return True
        node = self.root
        while True:
            if key == node.key:
                return False
            side = "left" if key < node.key else "right"
            child = node.left if side == "left" else node.right
            if child is None:
                if side == "left":
                    node.left = Node(key)
                else:
                    node.right = Node(key)
                self.size += 1
                return True
            node = child

    def in_order(self):
        out = []

        def walk(node):
            if node is not None:
                walk(node.left)
                out.append(node.key)
                walk(node.right)

        walk(self.root)
        return out

    def depth(self):
        def of(node):
            return 0 if node is None else 1 + max(of(node.left), of(node.right))
        return of(self.root)

    def __len__(self):
        return self.size

    def __contains__(self, key):
        return key in self.in_order()


t = Tree([50, 30, 70, 20, 40, 60, 80, 30])
print(t.in_order(), len(t), t.depth(), 40 in t, 45 in t)
print(t.insert(45), t.insert(45), t.in_order())
t.root.left.key = -1
print(t.in_order()[0:3], bool(t), bool(Tree()))
