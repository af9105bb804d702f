// op_build <op shared library> <output directory> [--compute_unit=ascend910b;ascend910_93]
//
// Loads the compiled op_host library, whose static objects register their OpDefs, and writes what the build derives
// from them. Either every file is written or, with exit code 1, none is left.
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "writers.h"

namespace {

struct Request {
    std::string library;
    std::string directory;
    std::set<std::string> computeUnits;  // empty: all that the ops have
};

bool Parse(int argc, char** argv, Request* request) {
    std::vector<std::string> positional;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.compare(0, 2, "--") != 0) {
            positional.push_back(argument);
            continue;
        }
        const size_t equals = argument.find('=');
        if (argument == "--aicore") {
            continue;
        }
        if (argument == "--aicpu" || argument == "--hostcpu") {
            std::cerr << "op_build: " << argument << ": the simulator builds AI Core operators only\n";
            return false;
        }
        if (equals == std::string::npos || equals + 1 == argument.size()) {
            std::cerr << "op_build: " << argument << ": expected --key=value\n";
            return false;
        }
        const std::string key = argument.substr(2, equals - 2);
        if (key == "compute_unit") {
            std::istringstream units(argument.substr(equals + 1));
            for (std::string unit; std::getline(units, unit, ';');) {
                request->computeUnits.insert(unit);
            }
        } else if (key == "output_file") {
            positional.resize(2);
            positional[1] = argument.substr(equals + 1);
        }
        // The real tool takes any other key too; none of those it knows changes what an AI Core operator gets.
    }
    if (positional.size() < 2 || positional[0].empty() || positional[1].empty()) {
        std::cerr << "usage: op_build <op shared library> <output directory> [--compute_unit=a;b]\n";
        return false;
    }
    request->library = positional[0];
    request->directory = positional[1];
    return true;
}

bool IsPascalCase(const std::string& opType) {
    if (opType.empty() || std::isupper(static_cast<unsigned char>(opType[0])) == 0) {
        return false;
    }
    for (const char c : opType) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
            return false;
        }
    }
    return true;
}

std::vector<op_build::ResolvedOp> ResolveAll(const Request& request, op_build::Errors* errors) {
    std::vector<op_build::ResolvedOp> ops;
    std::map<std::string, std::string> typeByFile;
    for (uint64_t i = 0; i < sim_registered_op_count(); ++i) {
        const ops::OpModel& model = *sim_registered_op(i);
        if (!IsPascalCase(model.type)) {
            std::cerr << "op_build: warning: op type " << model.type
                      << " is not in PascalCase (letters and digits, the first a capital)\n";
        }
        ops.push_back(op_build::Resolve(model, errors));
        op_build::ArgumentsOf(model, false, 0, errors);  // what is wrong there is said together with the rest
        for (const uint32_t version : op_build::VersionsOf(model)) {
            const std::string stem = ops.back().snake + op_build::VersionText("_v", version);
            const auto inserted = typeByFile.emplace(stem, model.type);
            if (!inserted.second) {
                errors->push_back(model.type + " and " + inserted.first->second + " both become aclnn_" + stem + ".h");
            }
        }
    }
    if (!request.computeUnits.empty()) {
        std::set<std::string> known;
        for (const auto& op : ops) {
            for (const auto& soc : op.socs) {
                known.insert(soc.soc);
            }
        }
        for (const std::string& unit : request.computeUnits) {
            if (known.count(unit) == 0) {
                std::cerr << "op_build: warning: no operator has AddConfig(\"" << unit << "\")\n";
            }
        }
    }
    return ops;
}

std::map<std::string, std::string> WriteAll(const std::vector<op_build::ResolvedOp>& ops, const Request& request,
                                            op_build::Errors* errors) {
    std::map<std::string, std::string> files;
    std::set<std::string> socs;
    for (const auto& op : ops) {
        for (const uint32_t version : op_build::VersionsOf(*op.model)) {
            const std::string stem = "aclnn_" + op.snake + op_build::VersionText("_v", version);
            files[stem + ".h"] = op_build::AclnnHeader(op, version, errors);
            files[stem + ".cpp"] = op_build::AclnnSource(op, version, errors);
        }
        for (const auto& soc : op.socs) {
            if (request.computeUnits.empty() || request.computeUnits.count(soc.soc) != 0) {
                socs.insert(soc.soc);
            }
        }
    }
    for (const auto& op : ops) {
        const std::string text = op_build::TilingStruct(op);
        if (!text.empty()) {
            files[op.snake + "_tiling_struct.h"] = text;
        }
    }
    files["op_proto.h"] = op_build::ProtoHeader(ops);
    files["op_proto.cc"] = op_build::ProtoSource(ops);
    for (const std::string& soc : socs) {
        files["aic-" + soc + "-ops-info.ini"] = op_build::OpsInfo(ops, soc);
    }
    files["signature.json"] = op_build::Signature(ops, errors);
    return files;
}

bool IsOurs(const std::string& name) {
    const auto starts = [&](const char* text) { return name.compare(0, std::string(text).size(), text) == 0; };
    const auto ends = [&](const std::string& text) {
        return name.size() >= text.size() && name.compare(name.size() - text.size(), text.size(), text) == 0;
    };
    return (starts("aclnn_") && (ends(".h") || ends(".cpp"))) || (starts("aic-") && ends("-ops-info.ini")) ||
           ends("_tiling_struct.h") || name == "op_proto.h" || name == "op_proto.cc" || name == "signature.json";
}

// A failed run must leave nothing that a later step could take for its output.
void RemoveOutputs(const std::string& directory) {
    DIR* openDirectory = opendir(directory.c_str());
    if (openDirectory == nullptr) {
        return;
    }
    while (const dirent* entry = readdir(openDirectory)) {
        if (IsOurs(entry->d_name)) {
            unlink((directory + "/" + entry->d_name).c_str());
        }
    }
    closedir(openDirectory);
}

int Run(const Request& request) {
    if (access(request.directory.c_str(), W_OK) != 0) {
        std::cerr << "op_build: cannot write to " << request.directory << "\n";
        return 1;
    }
    // A bare file name would be looked for in the library path instead of here.
    const bool hasFolder = request.library.find('/') != std::string::npos;
    if (dlopen((hasFolder ? request.library : "./" + request.library).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        std::cerr << "op_build: cannot load the op library: " << dlerror() << "\n";
        return 1;
    }
    if (sim_registered_op_count() == 0) {
        std::cerr << "op_build: " << request.library << " registers no operator: is OP_ADD missing?\n";
        return 1;
    }
    op_build::Errors errors;
    const std::vector<op_build::ResolvedOp> ops = ResolveAll(request, &errors);
    std::map<std::string, std::string> files;
    if (errors.empty()) {
        files = WriteAll(ops, request, &errors);
    }
    if (!errors.empty()) {
        const std::set<std::string> unique(errors.begin(), errors.end());
        for (const std::string& error : unique) {
            std::cerr << "op_build: " << error << "\n";
        }
        return 1;
    }
    RemoveOutputs(request.directory);  // of operators that are no longer there
    for (const auto& file : files) {
        const std::string path = request.directory + "/" + file.first;
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        out << file.second;
        out.close();
        if (!out) {
            std::cerr << "op_build: cannot write " << path << "\n";
            return 1;
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    if (!Parse(argc, argv, &request)) {
        return 1;
    }
    const int status = Run(request);
    if (status != 0) {
        RemoveOutputs(request.directory);
    }
    return status;
}
