// Lengths as the block search counts them: in fractals of 16 rows, and along K in groups of 32 bytes.
#ifndef OPFORGE_HOST_TILING_CUBE_COUNTS_H
#define OPFORGE_HOST_TILING_CUBE_COUNTS_H

#include <cstdint>
#include <vector>

namespace matmul_tiling {

inline int64_t CeilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }
inline int64_t RoundUp(int64_t value, int64_t to) { return CeilDiv(value, to) * to; }
inline int64_t RoundDown(int64_t value, int64_t to) { return value / to * to; }

// The count that is searched instead of this one: the next with enough divisors (from 2049 on, the last before).
int64_t SearchedCount(int64_t count);

// The largest divisor of count that is at most `most` (and below `below`, where that is above 0); 0 where none is.
int64_t LargestDivisor(int64_t count, int64_t most, int64_t below = 0);

// What a block may have of an axis, the longest first: the two longest divisors up to `most`, and the two longest
// powers of two.
std::vector<int64_t> BlockCounts(int64_t count, int64_t most);

// The same for N, of which blocks have about 12: the divisors on both sides of 12. Not below `least`, where the axis is
// longer than that; the axis is a multiple of `step`.
std::vector<int64_t> ColumnCounts(int64_t count, int64_t least, int64_t step);

}  // namespace matmul_tiling
#endif
