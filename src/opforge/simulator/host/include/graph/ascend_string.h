// ge::AscendString: the string that op_host hands across libraries. It owns a plain char array, so that code built
// with either of libstdc++'s string ABIs can share it.
#ifndef OPFORGE_GRAPH_ASCEND_STRING_H
#define OPFORGE_GRAPH_ASCEND_STRING_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace ge {

class AscendString {
public:
    AscendString() : text_(nullptr), length_(0) {}
    AscendString(const char* text) : text_(nullptr), length_(0) { Assign(text, text == nullptr ? 0 : strlen(text)); }
    AscendString(const char* text, size_t length) : text_(nullptr), length_(0) { Assign(text, length); }
    AscendString(const AscendString& other) : text_(nullptr), length_(0) { Assign(other.text_, other.length_); }
    AscendString& operator=(const AscendString& other) {
        if (this != &other) {
            Assign(other.text_, other.length_);
        }
        return *this;
    }
    ~AscendString() { free(text_); }

    const char* GetString() const { return text_ == nullptr ? "" : text_; }
    size_t GetLength() const { return length_; }
    bool operator<(const AscendString& other) const { return strcmp(GetString(), other.GetString()) < 0; }
    bool operator>(const AscendString& other) const { return strcmp(GetString(), other.GetString()) > 0; }
    bool operator<=(const AscendString& other) const { return !(*this > other); }
    bool operator>=(const AscendString& other) const { return !(*this < other); }
    bool operator==(const AscendString& other) const { return strcmp(GetString(), other.GetString()) == 0; }
    bool operator==(const char* const other) const { return strcmp(GetString(), other == nullptr ? "" : other) == 0; }
    bool operator!=(const char* const other) const { return !(*this == other); }
    bool operator!=(const AscendString& other) const { return !(*this == other); }

private:
    void Assign(const char* text, size_t length) {
        char* copy = nullptr;
        if (text != nullptr) {
            copy = static_cast<char*>(malloc(length + 1));
            if (copy == nullptr) {
                abort();
            }
            memcpy(copy, text, length);
            copy[length] = '\0';
        }
        free(text_);
        text_ = copy;
        length_ = text == nullptr ? 0 : length;
    }

    char* text_;
    size_t length_;
};

}  // namespace ge
#endif
