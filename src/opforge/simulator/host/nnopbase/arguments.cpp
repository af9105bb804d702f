#include "arguments.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "messages.h"
#include "meta.h"
#include "scalar/convert.h"
#include "sim_launch.h"

namespace nnopbase {

namespace {

std::string Where(const sim_op& op, const sim_param& param) { return std::string(op.op_type) + ": " + param.argument; }

void TakeTensor(const aclTensor& tensor, Argument* argument) {
    argument->type = tensor.type;
    argument->format = tensor.format;
    argument->dims = tensor.view;
    argument->strides = tensor.strides;
    argument->contiguous = tensor.IsContiguous();
    argument->elements = tensor.Elements();
    argument->extent = tensor.Extent();
    argument->address = tensor.Address();
}

void TakeHostValue(ge::DataType type, const void* bytes, uint64_t count, bool is_scalar, Argument* argument) {
    argument->type = type;
    argument->format = ge::FORMAT_ND;
    if (!is_scalar) {
        argument->dims = {static_cast<int64_t>(count)};
        argument->strides = {1};
    }
    argument->contiguous = true;
    argument->elements = count;
    argument->extent = count;
    argument->on_host = true;
    argument->host_value.resize(BytesOf(type, count));
    if (!argument->host_value.empty()) {
        std::memcpy(argument->host_value.data(), bytes, argument->host_value.size());
    }
}

template <typename T>
void Narrow(const std::vector<int64_t>& values, ge::DataType type, Argument* argument) {
    std::vector<T> narrowed(values.begin(), values.end());
    TakeHostValue(type, narrowed.data(), narrowed.size(), false, argument);
}

// An aclIntArray has 64-bit values; the kernel wants the dtype its OpDef declares.
void TakeIntegers(const std::vector<int64_t>& values, ge::DataType declared, Argument* argument) {
    switch (declared) {
        case ge::DT_INT8:
            return Narrow<int8_t>(values, declared, argument);
        case ge::DT_UINT8:
            return Narrow<uint8_t>(values, declared, argument);
        case ge::DT_INT16:
            return Narrow<int16_t>(values, declared, argument);
        case ge::DT_UINT16:
            return Narrow<uint16_t>(values, declared, argument);
        case ge::DT_INT32:
            return Narrow<int32_t>(values, declared, argument);
        case ge::DT_UINT32:
            return Narrow<uint32_t>(values, declared, argument);
        case ge::DT_UINT64:
            return Narrow<uint64_t>(values, declared, argument);
        default:
            return Narrow<int64_t>(values, ge::DT_INT64, argument);
    }
}

// The dtype of the input that Scalar().To(name) names; -1 where it is not given.
int32_t TypeOf(const sim_argument& given) {
    if (given.object == nullptr) {
        return -1;
    }
    if (given.kind == SIM_TENSOR) {
        return static_cast<const aclTensor*>(given.object)->type;
    }
    return given.kind == SIM_SCALAR ? static_cast<int32_t>(static_cast<const aclScalar*>(given.object)->type) : -1;
}

aclnnStatus Take(const sim_op& op, const sim_param& param, const sim_argument& given, const sim_argument* inputs,
                 ge::DataType declared, Argument* argument) {
    argument->param = &param;
    argument->present = given.object != nullptr;
    if (!argument->present) {
        if (param.kind == SIM_PARAM_OPTIONAL) {
            return OK;
        }
        return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001", Where(op, param) + " is a null pointer, but it is required");
    }
    switch (given.kind) {
        case SIM_TENSOR:
            TakeTensor(*static_cast<const aclTensor*>(given.object), argument);
            return OK;
        case SIM_SCALAR: {
            const aclScalar& scalar = *static_cast<const aclScalar*>(given.object);
            const int32_t to = param.to_input >= 0 ? TypeOf(inputs[param.to_input]) : param.to_type;
            const ge::DataType wanted = to >= 0 ? static_cast<ge::DataType>(to) : scalar.type;
            unsigned char value[sizeof(scalar.value)];
            std::memcpy(value, scalar.value, sizeof(value));
            if (wanted != scalar.type && !::scalar::Convert(scalar.value, scalar.type, wanted, value)) {
                return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                            Where(op, param) + " has dtype " + TypeText(scalar.type) + ", which does not convert to " +
                                TypeText(wanted));
            }
            TakeHostValue(wanted, value, 1, true, argument);
            return OK;
        }
        case SIM_INT_ARRAY:
            TakeIntegers(static_cast<const aclIntArray*>(given.object)->values, declared, argument);
            return OK;
        case SIM_FLOAT_ARRAY: {
            const auto& values = static_cast<const aclFloatArray*>(given.object)->values;
            TakeHostValue(ge::DT_FLOAT, values.data(), values.size(), false, argument);
            return OK;
        }
        case SIM_BOOL_ARRAY: {
            const auto& values = static_cast<const aclBoolArray*>(given.object)->values;
            TakeHostValue(ge::DT_BOOL, values.data(), values.size(), false, argument);
            return OK;
        }
        default:
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        Where(op, param) + " is a list; the simulator does not run dynamic inputs and outputs yet");
    }
}

// Formats that only name the dimensions of a plain array: where ND is declared they are all right.
bool IsPlain(ge::Format format) {
    static const std::set<int> plain = {ge::FORMAT_NCHW,  ge::FORMAT_NHWC, ge::FORMAT_ND,   ge::FORMAT_NCDHW,
                                        ge::FORMAT_NDHWC, ge::FORMAT_HWCN, ge::FORMAT_CHWN, ge::FORMAT_DHWCN,
                                        ge::FORMAT_CN,    ge::FORMAT_NC,   ge::FORMAT_NCL};
    return plain.count(ge::GetPrimaryFormat(format)) != 0;
}

bool FormatFits(ge::Format declared, ge::Format given) {
    return declared == given || (declared == ge::FORMAT_ND && IsPlain(given));
}

// Row c of the op's columns: inputs, then outputs.
const sim_type_format& Entry(const sim_op& op, const sim_soc_support& soc, uint32_t column, size_t index) {
    return soc.columns[static_cast<size_t>(column) * (op.input_count + op.output_count) + index];
}

// What the op supports for tensor index, each once and in order.
std::string Supported(const sim_op& op, const sim_soc_support& soc, size_t index, bool types) {
    std::vector<std::string> words;
    for (uint32_t c = 0; c < soc.column_count; ++c) {
        const sim_type_format& entry = Entry(op, soc, c, index);
        const std::string word =
            types ? TypeText(static_cast<ge::DataType>(entry.type)) : FormatText(static_cast<ge::Format>(entry.format));
        if (std::find(words.begin(), words.end(), word) == words.end()) {
            words.push_back(word);
        }
    }
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

aclnnStatus CheckColumns(const sim_op& op, const Arguments& arguments) {
    const sim_soc_support& soc = *arguments.soc;
    std::vector<const Argument*> all;
    for (const Argument& input : arguments.inputs) {
        all.push_back(&input);
    }
    for (const Argument& output : arguments.outputs) {
        all.push_back(&output);
    }
    std::vector<bool> type_known(all.size(), false);
    std::vector<bool> format_known(all.size(), false);
    for (uint32_t c = 0; c < soc.column_count; ++c) {
        bool fits = true;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!all[i]->present) {
                continue;
            }
            const sim_type_format& entry = Entry(op, soc, c, i);
            const bool type_fits = entry.type == all[i]->type;
            const bool format_fits = FormatFits(static_cast<ge::Format>(entry.format), all[i]->format);
            type_known[i] = type_known[i] || type_fits;
            format_known[i] = format_known[i] || format_fits;
            fits = fits && type_fits && format_fits;
        }
        if (fits) {
            return OK;
        }
    }
    std::string given;
    for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i]->present) {
            continue;
        }
        const std::string where = Where(op, *all[i]->param);
        if (!type_known[i]) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        where + " has dtype " + TypeText(all[i]->type) + "; on " + soc.soc + " it must be one of " +
                            Supported(op, soc, i, true));
        }
        if (!format_known[i]) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        where + " has format " + FormatText(all[i]->format) + "; on " + soc.soc +
                            " it must be one of " + Supported(op, soc, i, false));
        }
        given += (given.empty() ? "" : ", ") + std::string(all[i]->param->argument) + " " + TypeText(all[i]->type);
    }
    std::string supported;
    for (uint32_t c = 0; c < soc.column_count; ++c) {
        std::string column;
        for (size_t i = 0; i < all.size(); ++i) {
            column += (column.empty() ? "" : ", ") + TypeText(static_cast<ge::DataType>(Entry(op, soc, c, i).type));
        }
        supported += (supported.empty() ? "(" : ", (") + column + ")";
    }
    return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                std::string(op.op_type) + ": the dtypes " + given + " do not go together on " + soc.soc +
                    "; the supported combinations are " + supported);
}

// Page "AutoContiguous": without it a strided input is refused; outputs always are.
aclnnStatus CheckContiguous(const sim_op& op, const Arguments& arguments) {
    for (const auto* list : {&arguments.inputs, &arguments.outputs}) {
        for (const Argument& argument : *list) {
            if (!argument.present || argument.contiguous) {
                continue;
            }
            const bool is_input = list == &arguments.inputs;
            const bool in_place = (argument.flags & SIM_PARAM_IN_PLACE) != 0;
            if (is_input && (argument.flags & SIM_PARAM_IGNORE_CONTIGUOUS) != 0) {
                continue;
            }
            if (is_input && !in_place && (argument.flags & SIM_PARAM_AUTO_CONTIGUOUS) != 0 &&
                ge::GetSizeByDataType(argument.type) < ge::kDataTypeSizeBitOffset) {
                continue;
            }
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        Where(op, *argument.param) + " is a non-contiguous tensor: shape " + ShapeText(argument.dims) +
                            ", strides " + ShapeText(argument.strides) +
                            (is_input && !in_place ? ". Make it contiguous, or declare AutoContiguous() in OpDef"
                                                   : ". Outputs must be contiguous"));
        }
    }
    return OK;
}

}  // namespace

aclnnStatus TakeArguments(const sim_op& op, const sim_argument* inputs, const sim_argument* outputs,
                          Arguments* arguments) {
    const std::string short_name = sim_current_soc()->short_name;
    arguments->soc = nullptr;
    std::string declared;
    for (uint32_t i = 0; i < op.soc_count; ++i) {
        declared += (i == 0 ? "" : ", ") + std::string(op.socs[i].soc);
        if (short_name == op.socs[i].soc) {
            arguments->soc = &op.socs[i];
        }
    }
    if (arguments->soc == nullptr) {
        return Fail(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND, "EZ1013",
                    std::string(op.op_type) + " is declared for " + (declared.empty() ? "no SoC" : declared) +
                        ", not for " + short_name + " (this device is " + sim_current_soc()->name +
                        "). Add AddConfig(\"" + short_name +
                        "\") to its OpDef and build again, or run on one of those");
    }
    arguments->inputs.resize(op.input_count);
    arguments->outputs.resize(op.output_count);
    for (size_t i = 0; i < arguments->inputs.size() + arguments->outputs.size(); ++i) {
        const bool is_input = i < op.input_count;
        const size_t at = is_input ? i : i - op.input_count;
        Argument* argument = is_input ? &arguments->inputs[at] : &arguments->outputs[at];
        *argument = Argument();
        argument->flags = is_input ? arguments->soc->input_flags[at] : 0;
        const ge::DataType type = arguments->soc->column_count == 0
                                      ? ge::DT_UNDEFINED
                                      : static_cast<ge::DataType>(Entry(op, *arguments->soc, 0, i).type);
        const sim_param& param = is_input ? op.inputs[at] : op.outputs[at];
        const aclnnStatus status = Take(op, param, is_input ? inputs[at] : outputs[at], inputs, type, argument);
        if (status != OK) {
            return status;
        }
    }
    const aclnnStatus status = CheckColumns(op, *arguments);
    return status != OK ? status : CheckContiguous(op, *arguments);
}

}  // namespace nnopbase
