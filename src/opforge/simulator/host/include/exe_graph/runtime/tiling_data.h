// gert::TilingData: the byte buffer that becomes the kernel's tiling argument. Page: "TilingData".
#ifndef OPFORGE_EXE_GRAPH_TILING_DATA_H
#define OPFORGE_EXE_GRAPH_TILING_DATA_H

#include <cstddef>
#include <cstring>

#include "graph/ge_error_codes.h"
#include "securec.h"  // operators call memset_s and memcpy_s through this header

namespace gert {

class TilingData {
public:
    TilingData(void* data, size_t capacity) : capacity_(capacity), data_size_(0), data_(data) {}
    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return data_size_; }
    void SetDataSize(size_t size) { data_size_ = size; }
    void* GetData() { return data_; }
    const void* GetData() const { return data_; }
    template <typename T>
    ge::graphStatus Append(const T& value) {
        return Append(&value, 1);
    }
    template <typename T>
    ge::graphStatus Append(const T* values, size_t count) {
        if (count > (capacity_ - data_size_) / sizeof(T)) {
            return ge::GRAPH_FAILED;
        }
        memcpy(static_cast<char*>(data_) + data_size_, values, count * sizeof(T));
        data_size_ += count * sizeof(T);
        return ge::GRAPH_SUCCESS;
    }

private:
    size_t capacity_;
    size_t data_size_;
    void* data_;
};

}  // namespace gert
#endif
