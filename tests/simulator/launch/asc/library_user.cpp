#include <cstdio>

void Double(int first, int count, int* out);

int main() {
    int out[4] = {};
    Double(1, 4, out);
    std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    return 0;
}
