// How op_build spells op types, parameters, dtypes and formats.
#ifndef OPFORGE_OP_BUILD_NAMES_H
#define OPFORGE_OP_BUILD_NAMES_H

#include <string>

#include "graph/types.h"

namespace op_build {

// "SwiGLUGrad2D" -> "swi_glu_grad2_d": file, kernel function, binary list.
std::string SnakeCase(const std::string& opType);
// "beta_in" -> "betaIn", "X_In" -> "xIn": arguments of the aclnn function.
std::string LowerCamel(const std::string& name);
// "aclnn_add_custom" -> "ACLNN_ADD_CUSTOM".
std::string UpperCase(const std::string& name);
// "float32", "bfloat16" ...: in ini files and binary lists; "unknow" as the real tool writes for what it does not know.
const char* TypeName(ge::DataType type);
const char* FormatName(ge::Format format);
// The shortest decimal that reads back as the same float: "1e-05".
std::string ShortestText(float value);
// A C string literal or JSON string with its quotes.
std::string Quoted(const std::string& text);

}  // namespace op_build
#endif
