// Values that op_host states: first values of outputs, defaults of attributes.
#ifndef OPFORGE_OP_BUILD_VALUES_H
#define OPFORGE_OP_BUILD_VALUES_H

#include "register/op_model.h"

namespace op_build {

// What an output is filled with before the launch; bytes 0: nothing.
struct InitBytes {
    uint32_t bytes;
    uint64_t pattern;
};
InitBytes InitBytesOf(const ops::ParamModel& param);
// "float16": the type of an InitValue; null for the plain form.
const char* InitTypeName(const ops::ParamModel& param);

// "1e-05", "true", "[1,2]": a default as ini files and op_proto.h spell it.
std::string DefaultText(const ops::AttrModel& attr, char open, char close);

}  // namespace op_build
#endif
