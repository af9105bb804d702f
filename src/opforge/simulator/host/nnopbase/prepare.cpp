// The first phase: from arguments to an executor.
#include <memory>

#include "executor.h"
#include "host_functions.h"
#include "messages.h"
#include "opp.h"
#include "sim_launch.h"
#include "tensor_list.h"

namespace nnopbase {

namespace {

uint64_t RoundUp(uint64_t value) {
    return (value + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
}

aclnnStatus CheckAttrs(const sim_op& op, const sim_attr_value* attrs) {
    for (uint32_t i = 0; i < op.attr_count; ++i) {
        const bool byPointer = attrs[i].kind == SIM_ATTR_STRING || attrs[i].kind >= SIM_ATTR_BOOL_ARRAY;
        if (byPointer && attrs[i].data == nullptr) {
            return Fail(
                ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                std::string(op.op_type) + ": attribute " + op.attr_names[i] + " is a null pointer, but it is required");
        }
    }
    return OK;
}

// Page "LaunchWithZeroEleOutputTensors": by default a call whose outputs are all empty launches nothing.
bool AllOutputsEmpty(const Arguments& arguments) {
    for (const Argument& output : arguments.outputs) {
        for (const TensorArgument& tensor : output.tensors) {
            if (tensor.elements > 0) {
                return false;
            }
        }
    }
    return !arguments.outputs.empty();
}

bool TypesFit(const std::vector<std::string>& types, const std::vector<Argument>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const bool stated = i < types.size() && !types[i].empty();
        if (stated && arguments[i].Present() && types[i] != TypeText(arguments[i].Type())) {
            return false;
        }
    }
    return true;
}

std::string TypesText(const std::vector<Argument>& arguments) {
    std::string text;
    for (const Argument& argument : arguments) {
        if (argument.Present()) {
            text +=
                (text.empty() ? "" : ", ") + std::string(argument.param->argument) + " " + TypeText(argument.Type());
        }
    }
    return text;
}

aclnnStatus ChooseKernel(const sim_op& op, const OpPackage& package, aclOpExecutor* executor) {
    for (const KernelBinary& kernel : package.kernels) {
        if (TypesFit(kernel.inputs, executor->arguments.inputs) &&
            TypesFit(kernel.outputs, executor->arguments.outputs)) {
            aclnnStatus status = OK;
            FindKernelObject(kernel, &executor->objectPath, &status);
            return status;
        }
    }
    std::string built;
    for (const KernelBinary& kernel : package.kernels) {
        std::string types;
        for (const auto* list : {&kernel.inputs, &kernel.outputs}) {
            for (const std::string& type : *list) {
                types += (types.empty() ? "" : ", ") + type;
            }
        }
        built += (built.empty() ? "(" : ", (") + types + ")";
    }
    return Fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "EZ1013",
                std::string(op.op_type) + ": the package " + package.root + " has no kernel for " +
                    TypesText(executor->arguments.inputs) + " -> " + TypesText(executor->arguments.outputs) + " on " +
                    executor->arguments.soc->soc + "; it has " + (built.empty() ? "none at all" : built) +
                    ". Build the package again with these dtypes");
}

// Strided inputs, host values, descriptions of lists and the shapes it says reach the kernel behind its own workspace.
void PlanCopies(aclOpExecutor* executor) {
    uint64_t end = executor->kernelWorkspace;
    const auto place = [&end](uint64_t bytes) {
        const uint64_t offset = RoundUp(end);
        end = offset + bytes;
        return offset;
    };
    for (size_t i = 0; i < executor->arguments.inputs.size(); ++i) {
        const Argument& input = executor->arguments.inputs[i];
        for (size_t k = 0; k < input.tensors.size(); ++k) {
            const TensorArgument& tensor = input.tensors[k];
            const bool strided = !tensor.contiguous && (input.flags & SIM_PARAM_IGNORE_CONTIGUOUS) == 0;
            if (strided || tensor.onHost) {
                const uint64_t bytes = BytesOf(tensor.type, tensor.elements);
                executor->copies.push_back(WorkspaceCopy{i, k, place(bytes), bytes});
            }
        }
    }
    for (const auto* list : {&executor->arguments.inputs, &executor->arguments.outputs}) {
        for (size_t i = 0; i < list->size(); ++i) {
            if ((*list)[i].isList) {
                const bool isInput = list == &executor->arguments.inputs;
                executor->lists.push_back(ListPlace{isInput, i, place(TensorListBytes((*list)[i]))});
            }
        }
    }
    for (const Argument& output : executor->arguments.outputs) {
        executor->shapes += output.shaped != nullptr ? 1 : 0;
    }
    if (executor->shapes > 0) {
        executor->shapesPlace = place(executor->shapes * kShapeWords * sizeof(uint64_t));
    }
    executor->totalWorkspace = end == executor->kernelWorkspace ? end : RoundUp(end);
}

aclnnStatus Prepare(const sim_op& op, const sim_argument* inputs, const sim_argument* outputs,
                    const sim_attr_value* attrs, aclOpExecutor* executor) {
    executor->op = &op;
    aclnnStatus status = TakeArguments(op, inputs, outputs, &executor->arguments);
    if (status == OK) {
        status = CheckAttrs(op, attrs);
    }
    if (status != OK) {
        return status;
    }
    const OpPackage* package = FindOpPackage(op, executor->arguments.soc->soc, &status);
    if (package == nullptr) {
        return status;
    }
    executor->package = package;
    // The public runtime of generated functions (opbase, src/nnopbase/individual_op) never calls InferShape: an output
    // has the shape that the caller gives it. Only as documented, InferShape must agree, for graphs call it.
    if (RulesWanted(*package) == SIM_RULES_DOCUMENTED) {
        status = CheckShapes(op, *package, executor->arguments, attrs);
    }
    if (status != OK) {
        return status;
    }
    if (op.launch_with_zero_outputs == 0 && AllOutputsEmpty(executor->arguments)) {
        executor->nothingToDo = true;
        return OK;
    }
    status = RunTiling(op, *package, attrs, executor);
    if (status == OK) {
        status = ChooseKernel(op, *package, executor);
    }
    if (status == OK) {
        PlanCopies(executor);
    }
    return status;
}

}  // namespace
}  // namespace nnopbase

aclnnStatus sim_aclnn_prepare(const sim_op* op, const sim_argument* inputs, const sim_argument* outputs,
                              const sim_attr_value* attrs, uint64_t* workspaceSize, aclOpExecutor** executor) {
    if (workspaceSize == nullptr || executor == nullptr) {
        return nnopbase::Fail(ACLNN_ERR_PARAM_NULLPTR, "EZ1001",
                              std::string(op->op_type) + ": " +
                                  (workspaceSize == nullptr ? "workspaceSize" : "executor") + " is a null pointer");
    }
    *workspaceSize = 0;
    *executor = nullptr;
    std::unique_ptr<aclOpExecutor> prepared(new aclOpExecutor);
    const aclnnStatus status = nnopbase::Prepare(*op, inputs, outputs, attrs, prepared.get());
    if (status == OK) {
        *workspaceSize = prepared->totalWorkspace;
        *executor = prepared.release();
    }
    return status;
}
