// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// torch's dtypes as aclnn types and in messages.
//
// Source: acl_base.h (numbers of the enum).
#ifndef OPFORGE_DTYPES_H
#define OPFORGE_DTYPES_H

#include <string>
#include <vector>

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

namespace opforge {

constexpr int kAclUnsupported = -1;  // not a valid aclDataType: ACL_DT_UNDEFINED

// The aclDataType of a torch dtype.
inline int acl_dtype(at::ScalarType dtype) {
    switch (dtype) {
        case at::kFloat:
            return 0;
        case at::kHalf:
            return 1;
        case at::kChar:
            return 2;
        case at::kInt:
            return 3;
        case at::kByte:
            return 4;
        case at::kShort:
            return 6;
        case at::kLong:
            return 9;
        case at::kBool:
            return 12;
        case at::kBFloat16:
            return 27;
        case at::kDouble:
            return 11;
        case at::kUInt16:
            return 7;
        case at::kUInt32:
            return 8;
        case at::kUInt64:
            return 10;
        case at::kComplexHalf:
            return 33;
        case at::kComplexFloat:
            return 16;
        case at::kComplexDouble:
            return 17;
        case at::kFloat8_e5m2:
            return 35;
        case at::kFloat8_e4m3fn:
            return 36;
        case at::kFloat8_e8m0fnu:
            return 37;
        default:
            return kAclUnsupported;
    }
}

// torch's own spelling of a dtype, without the "torch." prefix.
inline std::string dtype_name(at::ScalarType dtype) {
    switch (dtype) {
        case at::kFloat:
            return "float32";
        case at::kHalf:
            return "float16";
        case at::kBFloat16:
            return "bfloat16";
        case at::kDouble:
            return "float64";
        case at::kChar:
            return "int8";
        case at::kShort:
            return "int16";
        case at::kInt:
            return "int32";
        case at::kLong:
            return "int64";
        case at::kByte:
            return "uint8";
        case at::kBool:
            return "bool";
        case at::kUInt16:
            return "uint16";
        case at::kUInt32:
            return "uint32";
        case at::kUInt64:
            return "uint64";
        case at::kComplexHalf:
            return "complex32";
        case at::kComplexFloat:
            return "complex64";
        case at::kComplexDouble:
            return "complex128";
        case at::kFloat8_e5m2:
            return "float8_e5m2";
        case at::kFloat8_e4m3fn:
            return "float8_e4m3fn";
        case at::kFloat8_e8m0fnu:
            return "float8_e8m0fnu";
        default:
            return c10::toString(dtype);
    }
}

inline std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
        text += (text.empty() ? "" : ", ") + item;
    }
    return text;
}

inline std::string shape_text(at::IntArrayRef shape) {
    std::vector<std::string> sizes;
    for (int64_t size : shape) {
        sizes.push_back(std::to_string(size));
    }
    return "[" + joined(sizes) + "]";
}

}  // namespace opforge

#endif  // OPFORGE_DTYPES_H
