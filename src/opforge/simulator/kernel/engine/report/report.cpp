#include "report.h"

#include <cstdio>

#include "call_chain.h"
#include "core.h"
#include "costs.h"

namespace sim {
namespace {

constexpr int kSchema = 1;
constexpr int kTimelineSchema = 3;

std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n') {
            quoted += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", c);
            quoted += code;
        } else {
            quoted += c;  // UTF-8, as the names of pages are
        }
    }
    return quoted + '"';
}

void Add(std::string* json, const char* name, const std::string& value) {
    *json += json->back() == '{' ? "\"" : ",\"";
    *json += name;
    *json += "\":" + value;
}

std::string OrNull(const std::string& text) { return text.empty() ? "null" : Quoted(text); }

// A source of the kernel as opforge.yaml may name it: from op_kernel's folder on, where the kernel was compiled in a
// copy, without the way up and down again that an include took.
std::string InProject(const std::string& file) {
    constexpr size_t kLongest = 200;
    constexpr const char* kFolder = "op_kernel/";
    size_t from = file.rfind(kFolder);
    from = from == std::string::npos || (from != 0 && file[from - 1] != '/') ? 0 : from;
    for (size_t begin = from, end = 0; end != std::string::npos; begin = end + 1) {
        end = file.find('/', begin);
        const std::string part = file.substr(begin, end - begin);
        if (end != std::string::npos && (part.empty() || part == "." || part == "..")) {
            from = end + 1;
        }
    }
    while (file.size() - from > kLongest && file.find('/', from) != std::string::npos) {
        from = file.find('/', from) + 1;
    }
    return file.substr(from);
}

// As it stands in a YAML mapping in braces.
std::string InYaml(const std::string& path) {
    const bool plain = path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-") ==
                       std::string::npos;
    return plain ? path : Quoted(path);
}

// What to paste where, so that a rule is not held against the kernel.
std::string HowToAllow(const sim_launch& launch, const Defect& defect, Level level) {
    const bool error = level == Level::kError;
    const std::string device =
        error && !defect.source.empty()
            ? "\n  OPFORGE_SIM_RULES=device (or --rules=device) does as devices do, with a warning"
            : "";
    if (launch.project == 0) {
        return device;
    }
    const std::string file = InProject(PlaceOf(defect.call.site).file);
    const bool listed = launch.project == SIM_PROJECT_SIMULATOR;
    return device + (error ? "\n  to allow it, " : "\n  to silence it, ") +
           (listed ? "in the list simulator: allow: of opforge.yaml" : "in opforge.yaml") +
           (error ? " (leave out rule, op or in to allow more; with level: warning it stays a warning):"
                  : " (leave out rule, op or in to silence more):") +
           (listed ? "" : "\nsimulator:\n  allow:") + "\n    - {rule: " + defect.id + ", op: " + launch.op_type +
           (file.empty() ? "" : ", in: " + InYaml(file)) +
           ", why: " + (defect.source.empty() ? "it is intended" : "devices let it pass") + "}";
}

}  // namespace

Report ReportOf(const sim_launch& launch, const Failure& failure, const void* inKernel, Level level) {
    Report report{failure.message, "{"};
    std::string* const json = &report.json;
    Add(json, "schema", std::to_string(kSchema));
    Add(json, "level", Quoted(level == Level::kWarning ? "warning" : "error"));
    Add(json, "op", Quoted(launch.op_type != nullptr ? launch.op_type : "?"));
    Add(json, "soc", Quoted(launch.soc != nullptr ? launch.soc->name : "?"));
    Add(json, "status", std::to_string(static_cast<int>(failure.status)));
    Add(json, "message", Quoted(failure.message));
    if (failure.defect == nullptr) {
        *json += "}";
        return report;
    }
    const Defect& defect = *failure.defect;
    const std::vector<Frame> chain = CallChain(defect.stack, inKernel);
    const bool piped = defect.call.pipe != Pipe::kCount;
    if (!defect.source.empty()) {
        report.text += "\n  devices: " + defect.does + " [" + defect.source + "]";
    }
    if (!defect.hint.empty()) {
        report.text += "\n  hint: " + defect.hint;
    }
    if (piped) {
        report.text += std::string("\n  pipe: ") + Name(defect.call.pipe);
    }
    std::string calls;
    for (size_t i = 0; i < chain.size(); ++i) {
        const Frame& frame = chain[i];
        const std::string line = std::to_string(frame.line);
        report.text += (i == 0 ? "\n  in: " : "\n   <- ") + frame.function + " (" + frame.file + ":" + line + ")";
        calls += i == 0 ? "{" : ",{";
        Add(&calls, "function", Quoted(frame.function));
        Add(&calls, "file", Quoted(frame.file));
        Add(&calls, "line", line);
        calls += "}";
    }
    if (defect.open) {
        report.text += HowToAllow(launch, defect, level);
    }
    if (level == Level::kWarning) {
        report.text.insert(0, "warning: ");
    }
    Add(json, "core", Quoted(defect.core));
    Add(json, "block", std::to_string(defect.block));
    Add(json, "pipe", piped ? Quoted(Name(defect.call.pipe)) : "null");
    Add(json, "api", Quoted(defect.call.api));
    const SourceLine place = PlaceOf(defect.call.site);
    Add(json, "file", OrNull(place.file));
    Add(json, "line", std::to_string(place.line));
    Add(json, "detail", Quoted(defect.detail));
    Add(json, "id", Quoted(defect.id));
    Add(json, "rule", Quoted(defect.rule));
    Add(json, "page", Quoted(defect.page));
    Add(json, "hint", OrNull(defect.hint));
    Add(json, "open", defect.open ? "true" : "false");
    Add(json, "does", OrNull(defect.does));
    Add(json, "source", OrNull(defect.source));
    Add(json, "calls", "[" + calls + "]");
    Add(json, "text", Quoted(report.text));
    *json += "}";
    return report;
}

std::string TraceOf(const Launch& launch) {
    constexpr const char* kKinds[] = {"aiv", "aic", "aicore"};
    const sim_launch& request = *launch.request;
    const uint32_t ofBlock = launch.type->Cores();
    std::string json = "{";
    Add(&json, "schema", std::to_string(kTimelineSchema));
    Add(&json, "op", Quoted(request.op_type));
    Add(&json, "object", Quoted(request.object_path));
    Add(&json, "soc", Quoted(request.soc->name));
    Add(&json, "block_dim", std::to_string(request.block_dim));
    Add(&json, "tiling_key", std::to_string(request.tiling_key));
    Add(&json, "estimates", EstimatesAsJson(request.soc->name));
    uint64_t read = 0, written = 0;
    for (uint32_t core = 0; core < launch.traces.size(); ++core) {
        read += launch.counts->cores[core].gm_read;
        written += launch.counts->cores[core].gm_written;
    }
    const auto number = [](uint64_t value) { return std::to_string(value); };
    Add(&json, "gm",
        "{\"read\":" + number(read) + ",\"written\":" + number(written) + ",\"read_once\":" +
            number(launch.counts->gm_read_once) + ",\"written_once\":" + number(launch.counts->gm_written_once) + "}");
    json += ",\"cores\":[";
    for (uint32_t core = 0; core < launch.traces.size(); ++core) {
        const CoreKind kind = launch.type->KindOf(core % ofBlock);
        json += core == 0 ? "{" : ",{";
        Add(&json, "kind", Quoted(kKinds[static_cast<size_t>(kind)]));
        Add(&json, "block", std::to_string(core / ofBlock));
        Add(&json, "sub", std::to_string(kind == CoreKind::kVector ? core % ofBlock - launch.type->cubes : 0));
        const sim_core_counts& counts = launch.counts->cores[core];
        Add(&json, "macs", number(counts.macs));
        Add(&json, "crossed", number(counts.crossed));
        Add(&json, "bypassed", number(counts.bypassed));
        Add(&json, "span", number(counts.span));
        json += ",\"busy\":{";
        for (size_t pipe = 0; pipe < SIM_PIPES; ++pipe) {
            json += std::string(pipe == 0 ? "\"" : ",\"") + Name(static_cast<Pipe>(pipe)) +
                    "\":" + number(counts.busy[pipe]);
        }
        json += "}," + launch.traces[core] + "}";
    }
    return json + "]}\n";
}

}  // namespace sim
