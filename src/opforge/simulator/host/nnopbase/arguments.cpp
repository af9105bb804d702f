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

// As many tensors as CANN's aclnn runtime takes in one list.
constexpr size_t kMostTensors = 256;

std::string Where(const sim_op& op, const sim_param& param) { return std::string(op.op_type) + ": " + param.argument; }

std::string Where(const sim_op& op, const Argument& argument, size_t tensor) {
    return std::string(op.op_type) + ": " + argument.NameOf(tensor, argument.param->argument);
}

// Formats that only name the dimensions of a plain array: where ND is declared they are all right.
bool IsPlain(ge::Format format) {
    static const std::set<int> plain = {ge::FORMAT_NCHW,  ge::FORMAT_NHWC, ge::FORMAT_ND,   ge::FORMAT_NCDHW,
                                        ge::FORMAT_NDHWC, ge::FORMAT_HWCN, ge::FORMAT_CHWN, ge::FORMAT_DHWCN,
                                        ge::FORMAT_CN,    ge::FORMAT_NC,   ge::FORMAT_NCL};
    return plain.count(ge::GetPrimaryFormat(format)) != 0;
}

TensorArgument TakeTensor(const aclTensor& tensor) {
    TensorArgument taken = {};
    taken.type = tensor.type;
    taken.format = tensor.format;
    taken.dims = tensor.view;
    taken.strides = tensor.strides;
    taken.contiguous = tensor.IsContiguous();
    taken.elements = tensor.Elements();
    taken.extent = tensor.Extent();
    taken.address = tensor.Address();
    taken.storage = reinterpret_cast<uint64_t>(tensor.data);
    taken.storageBytes = tensor.StorageBytes();
    if (!IsPlain(tensor.format)) {  // blocks: the view's sizes and strides do not say which bytes they take
        taken.contiguous = true;
        taken.extent = tensor.StorageElements();
    }
    return taken;
}

void TakeHostValue(ge::DataType type, const void* bytes, uint64_t count, bool isScalar, Argument* argument) {
    TensorArgument taken = {};
    taken.type = type;
    taken.format = ge::FORMAT_ND;
    if (!isScalar) {
        taken.dims = {static_cast<int64_t>(count)};
        taken.strides = {1};
    }
    taken.contiguous = true;
    taken.elements = count;
    taken.extent = count;
    taken.onHost = true;
    taken.hostValue.resize(BytesOf(type, count));
    if (!taken.hostValue.empty()) {
        std::memcpy(taken.hostValue.data(), bytes, taken.hostValue.size());
    }
    argument->tensors.push_back(taken);
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
    switch (given.kind) {
        case SIM_TENSOR:
            return static_cast<const aclTensor*>(given.object)->type;
        case SIM_SCALAR:
            return static_cast<const aclScalar*>(given.object)->type;
        case SIM_TENSOR_LIST: {
            const auto& tensors = static_cast<const aclTensorList*>(given.object)->values;
            return tensors.empty() || tensors.front() == nullptr ? -1 : tensors.front()->type;
        }
        default:
            return -1;
    }
}

// Page "To": the dtype a scalar has in the kernel. As it was created where OpDef says nothing; a double, which no
// kernel can have, becomes a float.
ge::DataType ScalarType(const sim_param& param, const sim_argument* inputs, ge::DataType created) {
    const int32_t to = param.to_input >= 0 ? TypeOf(inputs[param.to_input]) : param.to_type;
    if (to >= 0) {
        return static_cast<ge::DataType>(to);
    }
    return created == ge::DT_DOUBLE ? ge::DT_FLOAT : created;
}

// Scalars on their way to the kernel: one behind the other, all of the first one's dtype.
aclnnStatus TakeScalars(const sim_op& op, const std::vector<const aclScalar*>& scalars, bool isList,
                        const sim_argument* inputs, Argument* argument) {
    const ge::DataType wanted = ScalarType(*argument->param, inputs, scalars.front()->type);
    const size_t size = static_cast<size_t>(ge::GetSizeByDataType(wanted));
    std::vector<unsigned char> values;
    for (size_t i = 0; i < scalars.size(); ++i) {
        unsigned char value[sizeof(scalars[i]->value)];
        std::memcpy(value, scalars[i]->value, sizeof(value));
        if (scalars[i]->type != wanted && !::scalar::Convert(scalars[i]->value, scalars[i]->type, wanted, value)) {
            const std::string index = isList ? "[" + std::to_string(i) + "]" : "";
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        Where(op, *argument->param) + index + " has dtype " + TypeText(scalars[i]->type) +
                            ", which does not convert to " + TypeText(wanted));
        }
        values.insert(values.end(), value, value + size);
    }
    TakeHostValue(wanted, values.data(), scalars.size(), !isList, argument);
    return OK;
}

// The elements of an aclTensorList or aclScalarList, none of them null. A status other than OK was reported.
template <typename T>
aclnnStatus CheckList(const sim_op& op, const Argument& argument, const std::vector<const T*>& values) {
    const std::string where = Where(op, *argument.param);
    if (values.empty()) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001", where + " is an empty list; it needs at least one element");
    }
    if (values.size() > kMostTensors) {
        return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                    where + " is a list of " + std::to_string(values.size()) + "; it may have at most " +
                        std::to_string(kMostTensors) + " elements. Call the op for parts of the list");
    }
    for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] == nullptr) {
            return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001", where + "[" + std::to_string(i) + "] is a null pointer");
        }
    }
    return OK;
}

// A kernel is compiled for one dtype of a list: CANN looks at the first tensor and takes the others for the same.
aclnnStatus TakeTensors(const sim_op& op, const std::vector<const aclTensor*>& tensors, Argument* argument) {
    argument->isList = true;
    for (const aclTensor* tensor : tensors) {
        argument->tensors.push_back(TakeTensor(*tensor));
        const TensorArgument& taken = argument->tensors.back();
        if (taken.type != argument->Type() || taken.format != argument->tensors.front().format) {
            const bool otherType = taken.type != argument->Type();
            const TensorArgument& first = argument->tensors.front();
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        Where(op, *argument, argument->tensors.size() - 1) + " has " +
                            (otherType ? "dtype " + TypeText(taken.type) : "format " + FormatText(taken.format)) +
                            ", " + argument->NameOf(0, argument->param->argument) + " has " +
                            (otherType ? TypeText(first.type) : FormatText(first.format)) +
                            "; the tensors of a list share one " + (otherType ? "dtype" : "format"));
        }
    }
    return OK;
}

aclnnStatus Take(const sim_op& op, const sim_argument& given, const sim_argument* inputs, ge::DataType declared,
                 Argument* argument) {
    if (given.object == nullptr) {
        if (argument->param->kind == SIM_PARAM_OPTIONAL) {
            return OK;
        }
        return Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                    Where(op, *argument->param) + " is a null pointer, but it is required");
    }
    switch (given.kind) {
        case SIM_TENSOR:
            argument->tensors.push_back(TakeTensor(*static_cast<const aclTensor*>(given.object)));
            return OK;
        case SIM_TENSOR_LIST: {
            const auto& tensors = static_cast<const aclTensorList*>(given.object)->values;
            const aclnnStatus status = CheckList(op, *argument, tensors);
            return status == OK ? TakeTensors(op, tensors, argument) : status;
        }
        case SIM_SCALAR:
            return TakeScalars(op, {static_cast<const aclScalar*>(given.object)}, false, inputs, argument);
        case SIM_SCALAR_LIST: {
            const auto& scalars = static_cast<const aclScalarList*>(given.object)->values;
            const aclnnStatus status = CheckList(op, *argument, scalars);
            return status == OK ? TakeScalars(op, scalars, true, inputs, argument) : status;
        }
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
            TakeIntegers(static_cast<const aclIntArray*>(given.object)->values, declared, argument);
            return OK;
    }
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
    std::vector<bool> typeKnown(all.size(), false);
    std::vector<bool> formatKnown(all.size(), false);
    for (uint32_t c = 0; c < soc.column_count; ++c) {
        bool fits = true;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!all[i]->Present()) {
                continue;
            }
            const sim_type_format& entry = Entry(op, soc, c, i);
            const bool typeFits = entry.type == all[i]->Type();
            const bool formatFits = FormatFits(static_cast<ge::Format>(entry.format), all[i]->tensors.front().format);
            typeKnown[i] = typeKnown[i] || typeFits;
            formatKnown[i] = formatKnown[i] || formatFits;
            fits = fits && typeFits && formatFits;
        }
        if (fits) {
            return OK;
        }
    }
    std::string given;
    for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i]->Present()) {
            continue;
        }
        const std::string where = Where(op, *all[i]->param);
        if (!typeKnown[i]) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        where + " has dtype " + TypeText(all[i]->Type()) + "; on " + soc.soc + " it must be one of " +
                            Supported(op, soc, i, true));
        }
        if (!formatKnown[i]) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        where + " has format " + FormatText(all[i]->tensors.front().format) + "; on " + soc.soc +
                            " it must be one of " + Supported(op, soc, i, false));
        }
        given += (given.empty() ? "" : ", ") + std::string(all[i]->param->argument) + " " + TypeText(all[i]->Type());
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
aclnnStatus CheckContiguous(const sim_op& op, const Argument& argument, bool isInput) {
    const bool inPlace = (argument.flags & SIM_PARAM_IN_PLACE) != 0;
    if (isInput && (argument.flags & SIM_PARAM_IGNORE_CONTIGUOUS) != 0) {
        return OK;
    }
    for (size_t i = 0; i < argument.tensors.size(); ++i) {
        const TensorArgument& tensor = argument.tensors[i];
        const bool copied = isInput && !inPlace && (argument.flags & SIM_PARAM_AUTO_CONTIGUOUS) != 0 &&
                            ge::GetSizeByDataType(tensor.type) < ge::kDataTypeSizeBitOffset;
        if (!tensor.contiguous && !copied) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ1001",
                        Where(op, argument, i) + " is a non-contiguous tensor: shape " + ShapeText(tensor.dims) +
                            ", strides " + ShapeText(tensor.strides) +
                            (isInput && !inPlace ? ". Make it contiguous, or declare AutoContiguous() in OpDef"
                                                 : ". Outputs must be contiguous"));
        }
    }
    return OK;
}

aclnnStatus CheckContiguous(const sim_op& op, const Arguments& arguments) {
    for (const auto* list : {&arguments.inputs, &arguments.outputs}) {
        for (const Argument& argument : *list) {
            const aclnnStatus status = CheckContiguous(op, argument, list == &arguments.inputs);
            if (status != OK) {
                return status;
            }
        }
    }
    return OK;
}

}  // namespace

aclnnStatus TakeArguments(const sim_op& op, const sim_argument* inputs, const sim_argument* outputs,
                          Arguments* arguments) {
    const std::string shortName = sim_current_soc()->short_name;
    arguments->soc = nullptr;
    std::string declared;
    for (uint32_t i = 0; i < op.soc_count; ++i) {
        declared += (i == 0 ? "" : ", ") + std::string(op.socs[i].soc);
        if (shortName == op.socs[i].soc) {
            arguments->soc = &op.socs[i];
        }
    }
    if (arguments->soc == nullptr) {
        return Fail(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND, "EZ1013",
                    std::string(op.op_type) + " is declared for " + (declared.empty() ? "no SoC" : declared) +
                        ", not for " + shortName + " (this device is " + sim_current_soc()->name +
                        "). Add AddConfig(\"" + shortName + "\") to its OpDef and build again, or run on one of those");
    }
    arguments->inputs.resize(op.input_count);
    arguments->outputs.resize(op.output_count);
    for (size_t i = 0; i < arguments->inputs.size() + arguments->outputs.size(); ++i) {
        const bool isInput = i < op.input_count;
        const size_t at = isInput ? i : i - op.input_count;
        Argument* argument = isInput ? &arguments->inputs[at] : &arguments->outputs[at];
        *argument = Argument();
        argument->flags = isInput ? arguments->soc->input_flags[at] : 0;
        const ge::DataType type = arguments->soc->column_count == 0
                                      ? ge::DT_UNDEFINED
                                      : static_cast<ge::DataType>(Entry(op, *arguments->soc, 0, i).type);
        argument->param = isInput ? &op.inputs[at] : &op.outputs[at];
        if (!isInput && argument->param->shape_by_kernel != 0) {  // op_build lets a tensor have it, no list
            argument->shaped = static_cast<aclTensor*>(const_cast<void*>(outputs[at].object));
        }
        const aclnnStatus status = Take(op, isInput ? inputs[at] : outputs[at], inputs, type, argument);
        if (status != OK) {
            return status;
        }
    }
    const aclnnStatus status = CheckColumns(op, *arguments);
    return status != OK ? status : CheckContiguous(op, *arguments);
}

}  // namespace nnopbase
