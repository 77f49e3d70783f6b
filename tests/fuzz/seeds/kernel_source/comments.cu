/* a */ int main() { /* b
*/ } /* c
