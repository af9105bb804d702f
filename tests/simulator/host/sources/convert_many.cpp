// scalar::Convert over arrays, for ctypes. Returns how many were converted.
#include <cstddef>

#include "scalar/convert.h"

extern "C" __attribute__((visibility("default"))) size_t convert_many(const void* values, int from, size_t from_bytes,
                                                                      int to, size_t to_bytes, size_t count,
                                                                      void* results) {
    for (size_t i = 0; i < count; ++i) {
        if (!scalar::Convert(static_cast<const char*>(values) + i * from_bytes, static_cast<ge::DataType>(from),
                             static_cast<ge::DataType>(to), static_cast<char*>(results) + i * to_bytes)) {
            return i;
        }
    }
    return count;
}
