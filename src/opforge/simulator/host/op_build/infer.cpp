// op_infer <op shared library> <file of calls> [--dtypes|--ranges]
//
// Runs InferShape of operators in a compiled op_host library. A line of the file is a call, words apart by blanks:
//
//   <op type> <inputs> {<instances> {<dtype> <format> <rank> <dim>... <values> <value>...}...}...
//             <outputs> {<instances>}... <attributes> {b|i|f <value> | s <bytes in hex, "-" for none> |
//             B|I|F <count> <value>...}...
//
// and its answer a line on stdout: ``ok`` and, for each instance of an output, its rank and dimensions; ``failed``
// where InferShape says so; ``crashed``; ``none`` where the library has no InferShape for the op. The calls run in
// another process, and those behind one that ends it in a new one. With --dtypes it is InferDataType that runs, and an
// answer has the number of each output's dtype, that of DT_UNDEFINED where nothing was set. With --ranges it is
// InferShapeRange, for ranges that begin and end with the shapes of the call; an answer has two shapes for each output,
// the least and the largest, and is ``failed`` where an output has none.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "register/op_functions.h"
#include "register/op_model.h"

namespace {

constexpr unsigned kSeconds = 10;        // of a call, whatever it waits for
constexpr long kMicroseconds = 200'000;  // of the processor: InferShape computes a few numbers
constexpr long kLess = 20'000;           // where calls before took too long
constexpr size_t kMost = 1 << 16;        // of whatever a call counts

enum class Asked { kShapes, kDtypes, kRanges };

// A call that cannot be read; it is answered as one that crashed.
struct Unreadable : std::exception {};

template <typename T>
T Next(std::istream& words) {
    T value;
    if (!(words >> value)) {
        throw Unreadable();
    }
    return value;
}

size_t Count(std::istream& words) {
    const size_t count = Next<size_t>(words);
    if (count > kMost) {
        throw Unreadable();
    }
    return count;
}

struct Call {
    std::string opType;
    sim_host::ContextData data;
    std::deque<std::vector<unsigned char>> values;  // that tensors point to
};

template <typename T>
void Append(double value, std::vector<unsigned char>* bytes) {
    const T typed = static_cast<T>(value);
    const auto* begin = reinterpret_cast<const unsigned char*>(&typed);
    bytes->insert(bytes->end(), begin, begin + sizeof(T));
}

void AppendValue(ge::DataType type, double value, std::vector<unsigned char>* bytes) {
    switch (type) {
        case ge::DT_FLOAT:
            return Append<float>(value, bytes);
        case ge::DT_INT32:
            return Append<int32_t>(value, bytes);
        case ge::DT_INT64:
            return Append<int64_t>(value, bytes);
        case ge::DT_BOOL:
            return Append<bool>(value, bytes);
        default:
            throw Unreadable();
    }
}

void ReadTensor(std::istream& words, Call* call) {
    const auto type = static_cast<ge::DataType>(Next<int>(words));
    const auto format = static_cast<ge::Format>(Next<int>(words));
    sim_host::TensorSlot slot;
    const size_t rank = Count(words);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t dim = Next<int64_t>(words);
        slot.shape.MutableOriginShape().AppendDim(dim);
        slot.shape.MutableStorageShape().AppendDim(dim);
    }
    slot.desc = gert::CompileTimeTensorDesc(type, gert::StorageFormat(format, format));
    const size_t count = Count(words);
    call->values.emplace_back();
    for (size_t i = 0; i < count; ++i) {
        AppendValue(type, Next<double>(words), &call->values.back());
    }
    slot.tensor = gert::Tensor(slot.shape, slot.desc, count == 0 ? nullptr : call->values.back().data());
    call->data.inputs.push_back(slot);
}

std::string Unhexed(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; text != "-" && i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

template <typename T>
std::vector<T> List(std::istream& words) {
    std::vector<T> values(Count(words));
    for (T& value : values) {
        value = Next<T>(words);
    }
    return values;
}

void ReadAttr(std::istream& words, sim_host::AttrValues* attrs) {
    const std::string kind = Next<std::string>(words);
    if (kind == "b") {
        attrs->AddBool(Next<int>(words) != 0);
    } else if (kind == "i") {
        attrs->AddInt(Next<int64_t>(words));
    } else if (kind == "f") {
        attrs->AddFloat(Next<float>(words));
    } else if (kind == "s") {
        attrs->AddString(Unhexed(Next<std::string>(words)).c_str());
    } else if (kind == "B") {
        const std::vector<int> given = List<int>(words);
        const std::unique_ptr<bool[]> values(new bool[given.size() + 1]);
        for (size_t i = 0; i < given.size(); ++i) {
            values[i] = given[i] != 0;
        }
        attrs->AddBools(values.get(), given.size());
    } else if (kind == "I") {
        const std::vector<int64_t> values = List<int64_t>(words);
        attrs->AddInts(values.data(), values.size());
    } else if (kind == "F") {
        const std::vector<float> values = List<float>(words);
        attrs->AddFloats(values.data(), values.size());
    } else {
        throw Unreadable();
    }
}

void Read(std::istream& words, Call* call) {
    call->opType = call->data.opType = Next<std::string>(words);
    for (size_t left = Count(words); left > 0; --left) {
        const size_t instances = Count(words);
        call->data.inputInstances.emplace_back(call->data.inputs.size(), instances);
        for (size_t i = 0; i < instances; ++i) {
            ReadTensor(words, call);
        }
    }
    for (size_t left = Count(words); left > 0; --left) {
        const size_t instances = Count(words);
        call->data.outputInstances.emplace_back(call->data.outputs.size(), instances);
        call->data.outputs.resize(call->data.outputs.size() + instances);
    }
    for (size_t left = Count(words); left > 0; --left) {
        ReadAttr(words, &call->data.attrs);
    }
}

// The functions of an op, null where the library has none.
sim_host::OpFunctions FunctionsOf(const std::string& opType, const void* base) {
    sim_host::OpFunctions functions = {};
    sim_find_op_functions(opType.c_str(), base, &functions);
    for (uint64_t i = 0; i < sim_registered_op_count(); ++i) {
        if (sim_registered_op(i)->type == opType) {
            const auto& op = *sim_registered_op(i);
            functions.inferShape = functions.inferShape != nullptr ? functions.inferShape : op.inferShape;
            functions.inferDataType = functions.inferDataType != nullptr ? functions.inferDataType : op.inferDataType;
            functions.inferShapeRange =
                functions.inferShapeRange != nullptr ? functions.inferShapeRange : op.inferShapeRange;
        }
    }
    return functions;
}

std::string Dtypes(gert::OpImplRegisterV2::InferDataTypeKernelFunc infer, Call* call) {
    for (sim_host::TensorSlot& output : call->data.outputs) {
        output.desc.SetDataType(ge::DT_UNDEFINED);
    }
    gert::InferDataTypeContext context(&call->data);
    if (infer(&context) != ge::GRAPH_SUCCESS) {
        return "failed";
    }
    std::string answer = "ok";
    for (const sim_host::TensorSlot& output : call->data.outputs) {
        answer += " " + std::to_string(static_cast<int>(output.desc.GetDataType()));
    }
    return answer;
}

void Say(const gert::Shape& shape, std::ostringstream* out) {
    *out << " " << shape.GetDimNum();
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        *out << " " << shape.GetDim(i);
    }
}

std::string Ranges(gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer, Call* call) {
    for (sim_host::TensorSlot& input : call->data.inputs) {
        input.shapeRange = gert::Range<gert::Shape>(&input.shape.MutableOriginShape());
        input.tensorRange = gert::Range<gert::Tensor>(&input.tensor);
    }
    std::deque<gert::Shape> bounds;  // that a function may write to, or leave for others
    for (sim_host::TensorSlot& output : call->data.outputs) {
        bounds.resize(bounds.size() + 2);
        output.shapeRange = gert::Range<gert::Shape>(&bounds[bounds.size() - 2], &bounds.back());
    }
    gert::InferShapeRangeContext context(&call->data);
    if (infer(&context) != ge::GRAPH_SUCCESS) {
        return "failed";
    }
    std::ostringstream out;
    out << "ok";
    for (sim_host::TensorSlot& output : call->data.outputs) {
        if (output.shapeRange.GetMin() == nullptr || output.shapeRange.GetMax() == nullptr) {
            return "failed";
        }
        Say(*output.shapeRange.GetMin(), &out);
        Say(*output.shapeRange.GetMax(), &out);
    }
    return out.str();
}

std::string Answer(const std::string& line, const void* base, Asked asked) {
    std::istringstream words(line);
    Call call;
    Read(words, &call);
    const sim_host::OpFunctions functions = FunctionsOf(call.opType, base);
    if (asked == Asked::kDtypes) {
        return functions.inferDataType == nullptr ? "none" : Dtypes(functions.inferDataType, &call);
    }
    if (asked == Asked::kRanges) {
        return functions.inferShapeRange == nullptr ? "none" : Ranges(functions.inferShapeRange, &call);
    }
    const auto inferShape = functions.inferShape;
    if (inferShape == nullptr) {
        return "none";
    }
    gert::InferShapeContext context(&call.data);
    if (inferShape(&context) != ge::GRAPH_SUCCESS) {
        return "failed";
    }
    std::ostringstream out;
    out << "ok";
    for (const sim_host::TensorSlot& output : call.data.outputs) {
        Say(output.shape.GetOriginShape(), &out);
    }
    return out.str();
}

// Ends the process if the next call takes too long.
void LimitTime(long microseconds) {
    alarm(kSeconds);
    const itimerval limit{{0, 0}, {0, microseconds}};
    setitimer(ITIMER_PROF, &limit, nullptr);
}

// Runs the calls from `first` on in a child, and returns the answers to those before one that ended it. A call that
// took too long is answered too, and counted in `slow`.
std::vector<std::string> InAChild(const std::vector<std::string>& calls, size_t first, const void* base, Asked asked,
                                  int* slow) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no process");
    }
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        for (size_t i = first; i < calls.size(); ++i) {
            LimitTime(*slow > 1 ? kLess : kMicroseconds);
            std::string answer;
            try {
                answer = Answer(calls[i], base, asked);
            } catch (const std::exception&) {
                answer = "crashed";
            }
            answer += '\n';
            if (write(ends[1], answer.data(), answer.size()) != static_cast<ssize_t>(answer.size())) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char part[4096];
    for (ssize_t got; (got = read(ends[0], part, sizeof(part))) > 0;) {
        said.append(part, static_cast<size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::vector<std::string> answers;
    std::istringstream lines(said.substr(0, said.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
        answers.push_back(line);
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)) {
        answers.push_back("crashed");
        ++*slow;
    }
    return answers;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc == 4 ? argv[3] : "";
    const Asked asked = what == "--dtypes" ? Asked::kDtypes : what == "--ranges" ? Asked::kRanges : Asked::kShapes;
    if (argc != 3 && asked == Asked::kShapes) {
        std::cerr << "usage: op_infer <op shared library> <file of calls> [--dtypes|--ranges]\n";
        return 1;
    }
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    const link_map* map = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        std::cerr << "op_infer: cannot load the op library: " << dlerror() << "\n";
        return 1;
    }
    const auto* base = reinterpret_cast<const void*>(map->l_addr);
    std::ifstream file(argv[2]);
    std::vector<std::string> calls;
    for (std::string line; std::getline(file, line);) {
        calls.push_back(line);
    }
    int slow = 0;
    for (size_t done = 0; done < calls.size();) {
        std::vector<std::string> answers = InAChild(calls, done, base, asked, &slow);
        if (answers.empty()) {  // a call that ends a process in which others were before is tried alone first
            answers.push_back("crashed");
        }
        done += answers.size();
        for (const std::string& answer : answers) {
            std::cout << answer << '\n';
        }
    }
    std::cout.flush();
    return 0;
}
