// The rules are measured: one length at a time, against the public tiling library (tests/fidelity/tiling).
#include "cube_counts.h"

#include <algorithm>
#include <functional>

namespace matmul_tiling {

namespace {

constexpr int64_t kAlwaysSearched = 16;
constexpr int64_t kLongestFactor = 64;
constexpr int64_t kSearchedBelow = 2048;
constexpr int64_t kColumns = 12;
constexpr int64_t kColumnPower = 16;

// In how many ways the divisors of count up to 64 are products of two factors above 1.
int64_t FactorPairs(int64_t count) {
    int64_t pairs = 0;
    for (int64_t divisor = 4; divisor <= kLongestFactor; ++divisor) {
        for (int64_t factor = 2; count % divisor == 0 && factor * factor <= divisor; ++factor) {
            pairs += divisor % factor == 0 ? 1 : 0;
        }
    }
    return pairs;
}

bool HasLongFactor(int64_t count) {
    for (int64_t divisor = kLongestFactor + 1; divisor <= 2 * kLongestFactor; ++divisor) {
        if (count % divisor == 0) {
            return true;
        }
    }
    return false;
}

bool HasEnoughDivisors(int64_t count) {
    if (count <= kAlwaysSearched) {
        return true;
    }
    const int64_t pairs = FactorPairs(count);
    return pairs > 0 && (count <= kLongestFactor || pairs >= 4 || HasLongFactor(count));
}

int64_t PowerOfTwo(int64_t most) {
    int64_t power = 1;
    while (power * 2 <= most) {
        power *= 2;
    }
    return power;
}

// The longest first, each once, without 0.
std::vector<int64_t> Ordered(std::vector<int64_t> counts) {
    std::sort(counts.begin(), counts.end(), std::greater<int64_t>());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    while (!counts.empty() && counts.back() == 0) {
        counts.pop_back();
    }
    return counts;
}

}  // namespace

int64_t SearchedCount(int64_t count) {
    const int64_t step = count > kSearchedBelow ? -1 : 1;
    while (!HasEnoughDivisors(count)) {
        count += step;
    }
    return count;
}

int64_t LargestDivisor(int64_t count, int64_t most, int64_t below) {
    const int64_t first = below > 0 ? std::min({count, most, below - 1}) : std::min(count, most);
    for (int64_t divisor = first; divisor > 0; --divisor) {
        if (count % divisor == 0) {
            return divisor;
        }
    }
    return 0;
}

std::vector<int64_t> BlockCounts(int64_t count, int64_t most) {
    const int64_t searched = SearchedCount(count);
    const int64_t longest = LargestDivisor(searched, std::min(most, kLongestFactor));
    const int64_t power = PowerOfTwo(std::min(searched, most));
    return Ordered({longest, LargestDivisor(searched, longest - 1), power, power / 2});
}

std::vector<int64_t> ColumnCounts(int64_t count, int64_t least, int64_t step) {
    const int64_t searched = RoundUp(SearchedCount(count), step);
    const int64_t about = std::min(searched, kColumns);
    int64_t above = about;
    while (above <= kLongestFactor && searched % above != 0) {
        ++above;
    }
    const int64_t power = PowerOfTwo(std::min(searched, kColumnPower));
    std::vector<int64_t> counts =
        Ordered({above <= kLongestFactor ? above : 0, LargestDivisor(searched, about - 1), power, power / 2});
    if (count >= least) {
        counts.erase(std::remove_if(counts.begin(), counts.end(), [&](int64_t each) { return each < least; }),
                     counts.end());
    }
    return counts;
}

}  // namespace matmul_tiling
