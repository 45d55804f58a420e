# for, if/elif/else, continue, break.
for n in range(1, 30):
    if n % 2 == 0 and n != 10:
        continue
    elif n > 20:
        print("enough at", n)
        break
    if n % 15 == 0:
        word = "FizzBuzz"
    elif n % 5 == 0:
        word = "Buzz"
    elif not n % 3:
        word = "Fizz"
    else:
        word = str(n)
    print(word, end=" " if n != 19 else "\n")
else:
    print("never reached")
