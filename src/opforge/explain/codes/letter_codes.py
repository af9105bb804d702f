"""Codes that begin with letters (CANN's conf/error_manager/error_code.json; torch_npu/utils/_error_code.py)."""

from __future__ import annotations

from opforge.explain.codes.code import Code

_LOG = "Look for the first ERROR line in ~/ascend/log/debug/plog, and give that file to `opforge explain`."
_NOTHING: tuple[str, ...] = ()
_DEVICES = ("devices",)
_RANKS = "Look at the log of the rank that failed first; the others only wait for it."
_LESS = "Use fewer at a time, or stop other processes on the device (`npu-smi info`)."
_INPUT = "Compare the tensors of the call with what op_host declares for this chip."
_CALL = "Compare the call with the function's documentation."

_ROWS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    (
        "EZ1001",
        "aclnn: parameter",
        "An aclnn function refuses an argument; the text behind the code names it.",
        _INPUT,
        _NOTHING,
    ),
    ("EZ9903", "aclnn: runtime", "A runtime call inside an aclnn function failed.", _LOG, _NOTHING),
    ("EZ0001", "operator: input shape", "An operator refuses the shape of an input.", _INPUT, _NOTHING),
    ("EZ0002", "operator: attribute", "An operator refuses the value of an attribute.", _INPUT, _NOTHING),
    ("EZ0003", "operator: attribute size", "An attribute that is a list has a wrong length.", _INPUT, _NOTHING),
    ("EZ0004", "operator: input", "An operator refuses an input.", _INPUT, _NOTHING),
    ("EZ0005", "operator: input size", "An input has too many or too few elements.", _INPUT, _NOTHING),
    (
        "EZ0006",
        "operator: input format",
        "An operator does not support the format of an input.",
        "Convert the tensor to ND: torch_npu.npu_format_cast(x, 2).",
        _NOTHING,
    ),
    (
        "EZ0007",
        "operator: input dtype",
        "An operator does not support the dtype of an input.",
        "Cast the tensor.",
        _NOTHING,
    ),
    (
        "EZ0501",
        "operator: not supported",
        "CANN has no implementation of the operator for these inputs on this chip.",
        _INPUT,
        ("vendors",),
    ),
    (
        "EZ3002",
        "operator: not supported",
        "No operator library supports the operator with these inputs.",
        _INPUT,
        ("vendors",),
    ),
    (
        "EZ3003",
        "operator: not in the library",
        "The operator library does not have this operator type.",
        "Install the package that has the operator, for this chip.",
        ("vendors",),
    ),
    ("EZ9010", "operator: not supported", "The operator's check of support refused these inputs.", _INPUT, _NOTHING),
    (
        "EE1001",
        "runtime: argument",
        "A runtime function refuses an argument; often no device is set in this thread.",
        "Explain the code beside it (1070xx).",
        _NOTHING,
    ),
    (
        "EE1002",
        "runtime: timeout",
        "Waiting for a stream took too long: a kernel or collective on it does not end.",
        "Run with ASCEND_LAUNCH_BLOCKING=1 to find the operator.",
        _NOTHING,
    ),
    ("EE4001", "runtime: model binding", "A stream could not be bound to a model.", _CALL, _NOTHING),
    ("EE4002", "runtime: model unbinding", "A stream could not be removed from a model.", _CALL, _NOTHING),
    ("EE4004", "runtime: profiling", "Profiling is already on for the device.", "Stop the other profiler.", _NOTHING),
    (
        "EI0001",
        "HCCL: environment variable",
        "A variable of HCCL has a value that is not valid.",
        "Unset or correct the variable that the text names.",
        ("variables", "HCCL_"),
    ),
    (
        "EI0002",
        "HCCL: timeout of an operation",
        (
            "A collective operation waited too long for another rank: that rank "
            "failed, is slower, or calls another operation."
        ),
        _RANKS,
        ("variables", "HCCL_"),
    ),
    ("EI0003", "HCCL: argument", "A collective operation refuses an argument, such as a dtype.", _CALL, _NOTHING),
    (
        "EI0004",
        "HCCL: rank table",
        "The rank table file is not valid.",
        "Check RANK_TABLE_FILE: JSON, devices, addresses, number of ranks.",
        ("variable", "RANK_TABLE_FILE"),
    ),
    (
        "EI0005",
        "HCCL: ranks differ",
        "The ranks call a collective operation with different arguments.",
        "Make all ranks call the same operations in the same order, with the same sizes and dtypes.",
        _NOTHING,
    ),
    (
        "EI0006",
        "HCCL: timeout of a connection",
        (
            "A rank waited too long for the connection from another one: that rank "
            "failed or starts late, or the network between them does not work."
        ),
        "Explain the first failure of any rank. If ranks only start late: export HCCL_CONNECT_TIMEOUT=1200 on all.",
        ("variables", "HCCL_"),
    ),
    (
        "EI0007",
        "HCCL: memory",
        "HCCL could not allocate memory or another resource.",
        "Free device memory, or make HCCL_BUFFSIZE smaller.",
        ("variables", "HCCL_"),
    ),
    (
        "EI0008",
        "HCCL: versions differ",
        "The ranks run different versions of CANN.",
        "Install the same CANN on every machine.",
        ("toolkits",),
    ),
    (
        "EI0009",
        "HCCL: transport",
        "A link between two NPUs could not be made.",
        "Check the network of the NPUs: hccn_tool -i 0 -link -g, and -net_health -g.",
        _NOTHING,
    ),
    (
        "EI0010",
        "HCCL: peer to peer",
        "Direct access between two NPUs failed.",
        "Check `npu-smi info -t topo`.",
        _DEVICES,
    ),
    (
        "EJ0001",
        "HCCP: process",
        "HCCL's network process did not start: a previous job on the device has not ended.",
        "End all processes of the previous job, wait ten seconds, and start again.",
        _NOTHING,
    ),
    ("EJ0002", "HCCP: environment", "The network device of the NPU is not ready.", "hccn_tool -i 0 -ip -g", _NOTHING),
    (
        "EJ0003",
        "HCCP: port in use",
        "HCCL cannot listen on its port: another job on this machine uses it.",
        (
            "End the other job, or give each job its own ports: export HCCL_IF_BASE_PORT=50000 (another number per "
            "job), and export HCCL_HOST_SOCKET_PORT_RANGE=auto."
        ),
        ("variables", "HCCL_"),
    ),
    ("EJ0004", "HCCP: address", "The network address of an NPU is not valid.", "hccn_tool -i 0 -ip -g", _NOTHING),
    ("EK0001", "profiling: argument", "The profiler refuses an argument.", _CALL, _NOTHING),
    ("EK0002", "profiling: order", "Profiler functions were called in a wrong order.", _CALL, _NOTHING),
    ("EK0003", "profiling: settings", "The profiler's settings are not valid.", _CALL, _NOTHING),
    ("EK0004", "profiling: not supported", "This chip does not have the profiler's function.", _CALL, _NOTHING),
    ("EK0201", "profiling: memory", "The profiler lacks memory.", "Profile fewer steps.", ("memory",)),
    ("EK9999", "profiling: internal", "The profiler failed inside.", _LOG, _NOTHING),
    ("EL0001", "driver: device", "The device is missing or does not work.", "Run `npu-smi info`.", _DEVICES),
    (
        "EL0002",
        "driver: device number",
        "The number of the device is not valid.",
        "Use a number below torch.npu.device_count().",
        _DEVICES,
    ),
    ("EL0003", "driver: argument", "The driver refuses an argument.", _LOG, _NOTHING),
    (
        "EL0004",
        "driver: memory",
        "The driver could not allocate memory on the device.",
        "Use smaller tensors, or stop other processes on the device.",
        _DEVICES,
    ),
    ("EL0005", "driver: busy", "The device is busy.", "Stop the other process on it.", _DEVICES),
    ("EL0006", "driver: resources", "A resource of the device is used up.", _LESS, _NOTHING),
    (
        "EL0007",
        "driver: permission",
        "This user may not use the device.",
        "Add the user to the group of /dev/davinci* (usually HwHiAiUser).",
        _DEVICES,
    ),
    ("EL0008", "driver: events", "All events of the device are in use.", _LESS, _NOTHING),
    ("EL0009", "driver: streams", "All streams of the device are in use.", _LESS, _NOTHING),
    ("EL0010", "driver: notifies", "All notifies of the device are in use.", _LESS, _NOTHING),
    ("EL0011", "driver: models", "All models of the device are in use.", _LESS, _NOTHING),
    ("EL0012", "driver: queue", "A queue of the device is full.", _LESS, _NOTHING),
    ("EL0013", "driver: CDQM", "The CDQM units of the device are in use.", _LESS, _NOTHING),
    (
        "EL0014",
        "driver: not supported",
        "The driver does not have the operation.",
        "Update driver and firmware.",
        ("driver",),
    ),
    (
        "EL0015",
        "driver: access",
        "A process used a device that is not its own.",
        "Check ASCEND_RT_VISIBLE_DEVICES.",
        _DEVICES,
    ),
    ("EH0001", "ACL: argument", "An ACL function refuses an argument.", _CALL, _NOTHING),
    ("EH0002", "ACL: null pointer", "An ACL function got a null pointer.", _CALL, _NOTHING),
    ("EH0003", "ACL: path", "A path does not exist.", "Check the path.", _NOTHING),
    ("EH0004", "ACL: file", "A file is not valid.", "Check the file.", _NOTHING),
    ("EH0005", "ACL: AIPP", "An argument of the image preprocessor is not valid.", _CALL, _NOTHING),
    ("EH0006", "ACL: not supported", "This chip or this CANN does not have the feature.", _LOG, ("driver",)),
    (
        "EC0010",
        "tuner: Python module",
        "CANN could not import one of its Python modules.",
        "Install the module that the text names, and put CANN's python/site-packages on PYTHONPATH (set_env.sh does).",
        ("modules", "tbe", "numpy", "decorator", "sympy", "attr", "psutil", "scipy"),
    ),
    (
        "EF0001",
        "fusion: SoC version",
        "The SoC version is not valid.",
        "Use a name that `npu-smi info` implies, such as Ascend910B3.",
        _NOTHING,
    ),
    (
        "E30006",
        "AI CPU: operator package",
        (
            "The operator package for the AI CPU was refused: it does not fit the driver, "
            "or another container holds the device."
        ),
        "Install driver and CANN of matching versions; stop other containers.",
        ("driver",),
    ),
    ("E90003", "operator: Python", "A Python function of an operator failed while it was compiled.", _LOG, _NOTHING),
    (
        "ERR00100",
        "torch_npu: ACL",
        "A call of ACL failed in torch_npu's core; the code in the same message says why.",
        _LOG,
        _NOTHING,
    ),
    (
        "ERR01100",
        "torch_npu: ACL in an operator",
        "A call of ACL or aclnn failed in an operator; the lines behind say why.",
        _LOG,
        _NOTHING,
    ),
    ("ERR02200", "torch_npu: HCCL", "A call of HCCL failed; the EI or EJ code behind says why.", _RANKS, _NOTHING),
)

_GENERIC = {"EZ1001", "EE1001", "EZ9903", "ERR00100", "ERR01100", "ERR02200", "EK9999"}

# Codes that only announce the lines behind them.
_INNER = tuple(
    Code(
        f"{letters}9999",
        "inner error",
        f"An internal error of {module}. The code only announces the lines behind it, which say what failed.",
        "Give the whole log to `opforge explain`, with the lines behind this code.",
        generic=True,
    )
    for letters, module in {
        "EZ": "an operator",
        "EE": "the NPU runtime",
        "EI": "HCCL",
        "EJ": "HCCL's network process",
        "EH": "ACL",
        "EL": "the driver",
        "E1": "the graph engine",
        "E3": "the AI CPU",
        "E4": "the operator compiler",
    }.items()
)


LETTER_CODES = (
    *(Code(number, name, cause, fix, check, generic=number in _GENERIC) for number, name, cause, fix, check in _ROWS),
    *_INNER,
)
