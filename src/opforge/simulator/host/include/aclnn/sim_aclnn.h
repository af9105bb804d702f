// What the aclnn_<op>.cpp that op_build writes says to libnnopbase: a table for the op, and two calls.
// Plain C: the generated source is built with the project's own compiler flags and string ABI.
#ifndef OPFORGE_ACLNN_SIM_ACLNN_H
#define OPFORGE_ACLNN_SIM_ACLNN_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// As ops::Option.
enum { SIM_PARAM_OPTIONAL = 1, SIM_PARAM_REQUIRED = 2, SIM_PARAM_DYNAMIC = 3 };

enum {
    SIM_PARAM_AUTO_CONTIGUOUS = 1u << 0,    // the runtime copies a strided tensor before the launch
    SIM_PARAM_IGNORE_CONTIGUOUS = 1u << 1,  // the kernel takes a strided tensor as it is
    SIM_PARAM_HOST_VALUE = 1u << 2,         // tiling reads the value
    SIM_PARAM_IN_PLACE = 1u << 3            // input and output are one tensor
};

typedef struct sim_param {
    const char* name;          // in OpDef
    const char* argument;      // of the aclnn function
    int32_t kind;              // SIM_PARAM_OPTIONAL...
    int32_t to_type;           // Scalar().To(type): the dtype the kernel gets; -1: as given
    int32_t to_input;          // Scalar().To("x"): the input whose dtype it gets; -1: none
    uint32_t init_bytes;       // InitValue of an output: the size of its element; 0: none
    uint64_t init_pattern;     // its bytes
    uint32_t shape_by_kernel;  // OutputShapeDependOnCompute: the kernel says the shape of this output
} sim_param;

typedef struct sim_type_format {
    int32_t type;    // ge::DataType
    int32_t format;  // ge::Format
} sim_type_format;

typedef struct sim_soc_support {
    const char* soc;                 // compute unit: "ascend910b"
    uint32_t column_count;           // supported combinations
    const sim_type_format* columns;  // column_count rows of all inputs, then all outputs
    const uint32_t* input_flags;     // SIM_PARAM_AUTO_CONTIGUOUS...
} sim_soc_support;

typedef struct sim_op {
    const char* op_type;
    const char* op_file;  // snake name: of the kernel folder and its binary list
    uint32_t input_count;
    const sim_param* inputs;
    uint32_t output_count;
    const sim_param* outputs;
    uint32_t attr_count;
    const char* const* attr_names;
    uint32_t soc_count;
    const sim_soc_support* socs;
    uint32_t launch_with_zero_outputs;
} sim_op;

// One tensor-like argument.
enum { SIM_TENSOR, SIM_TENSOR_LIST, SIM_SCALAR, SIM_SCALAR_LIST, SIM_INT_ARRAY, SIM_FLOAT_ARRAY, SIM_BOOL_ARRAY };
typedef struct sim_argument {
    int32_t kind;
    const void* object;  // null: not given
} sim_argument;

enum {
    SIM_ATTR_BOOL,
    SIM_ATTR_FLOAT,
    SIM_ATTR_INT,
    SIM_ATTR_STRING,
    SIM_ATTR_BOOLS,        // data: bool[count]
    SIM_ATTR_FLOATS,       // data: float[count]
    SIM_ATTR_INTS,         // data: int64_t[count]
    SIM_ATTR_BOOL_ARRAY,   // data: aclBoolArray
    SIM_ATTR_FLOAT_ARRAY,  // data: aclFloatArray
    SIM_ATTR_INT_ARRAY     // data: aclIntArray
};
typedef struct sim_attr_value {
    int32_t kind;
    int64_t integer;  // also bool
    double real;
    const void* data;  // strings, lists and arrays; null: a required one is missing
    uint64_t count;
} sim_attr_value;

// First phase: checks the arguments, finds the op's package, infers shapes, runs tiling.
OPFORGE_ACL_API aclnnStatus sim_aclnn_prepare(const sim_op* op, const sim_argument* inputs, const sim_argument* outputs,
                                              const sim_attr_value* attrs, uint64_t* workspaceSize,
                                              aclOpExecutor** executor);
// Second phase: launches, and frees the executor unless it is repeatable.
OPFORGE_ACL_API aclnnStatus sim_aclnn_run(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif
#endif
