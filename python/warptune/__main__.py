"""`python -m warptune`: the command, where its folder is not on the path."""

from ._places import main

if __name__ == "__main__":
    main()
