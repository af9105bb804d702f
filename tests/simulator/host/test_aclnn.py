"""The two phases of an aclnn call, against a stand-in for the device that writes launches down."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from opforge.build.simulator_note import simulator_note, write_simulator_note
from opforge.spec.model import Allowed, OpSpec, ProjectSpec, SimulatorSpec, Spec

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "subprocess.CompletedProcess[str]"]


def test_calls_compute_and_leave_nothing(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        before = live_objects()
        for count in (0, 1, 7, 31, 32, 33, 127, 1009):
            x, y = [float(i) for i in range(count)], [0.5 * i for i in range(count)]
            tensors = [Tensor([count], x), Tensor([count], y), Tensor([count])]
            call("AddCustom", *tensors[:2], 2.0, tensors[2])
            assert tensors[2].values() == [a + 2.0 * b for a, b in zip(x, y)], count
            for tensor in tensors:
                meta.aclDestroyTensor(tensor.handle)
        assert live_objects() == before
        half = [Tensor([3], [1, 2, 0xFFFF], dtype=FLOAT16) for _ in range(2)]
        out = Tensor([3], dtype=FLOAT16)
        call("AddCustom", *half, 1.0, out)
        assert out.values() == [1, 2, 0xFFFF], "the float16 kernel ran"
        assert last_launch()["tiling_key"] == 2
        """
    )


def test_a_launch_says_all_the_engine_must_know(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        x, y, z = Tensor([2, 600], offset=3), Tensor([2, 600]), Tensor([2, 600])
        status, size, executor = prepare("AddCustom", x, y, 1.0, z)
        assert (status, size) == (0, 128), "the sum of both workspaces"
        workspace = memory(bytes(size))
        assert launch("AddCustom", workspace, size, executor) == 0
        seen = last_launch()
        assert seen["op"] == "AddCustom" and seen["block_dim"] == 1 and seen["tiling_key"] == 1
        assert seen["checks"] == 1 and seen["tiling_bytes"] == 24 and seen["unset"] == []
        assert seen["args"] == [x.address + 12, y.address, z.address, workspace, 0]
        assert seen["regions"] == [
            ("x", x.address + 12, 4800, 0), ("y", y.address, 4800, 0), ("z", z.address, 4800, 1),
            ("workspace", workspace, 128, 1),
        ]
        assert seen["roles"] == {  # role, bytes of an element, storage
            "x": (1, 4, x.address, 4812), "y": (1, 4, y.address, 4800), "z": (2, 4, z.address, 4800),
            "workspace": (4, 0, workspace, 128),
        }
        small = [Tensor([5]) for _ in range(3)]
        call("AddCustom", *small[:2], 1.0, small[2])
        assert last_launch()["args"][3] == 0 and len(last_launch()["regions"]) == 3, "no workspace"
        """
    )
    aclnn_run(
        'call("AddCustom", Tensor([5]), Tensor([5]), 1.0, Tensor([5]))\nassert last_launch()["checks"] == 0',
        OPFORGE_SIM_CHECKS="fast",
    )


def test_a_launch_is_judged_as_its_package_says(aclnn_run: AclnnRun, package: Path, tmp_path: Path) -> None:
    place = shutil.copytree(package, tmp_path / "vendor")
    here = {"ASCEND_CUSTOM_OPP_PATH": str(place)}
    launch = """
        call("AddCustom", Tensor([5]), Tensor([5]), 1.0, Tensor([5]))
        seen = last_launch()
        print(seen["rules"], seen["allow"], seen["project"])
    """
    assert aclnn_run(launch, **here).stdout == "0 [] 1\n", "documented, where nothing is said"
    ops = (OpSpec("AddCustom", (), (), (), sources=("op_kernel/add.cpp",)), OpSpec("Other", (), (), ()))
    allow = (
        Allowed("it is so", rule="gm-tail", op="AddCustom"),
        Allowed("it is so", rule="old-value", op="Other"),
        Allowed("it is so", file="op_kernel/a b.h", warn=True),
    )
    expected = [("gm-tail", "", 0), ("", "op_kernel/a b.h", 1)]
    for rules, judged in (("documented", 0), ("device", 1), (None, 1)):
        spec = Spec(ProjectSpec("p", "p", "p", "0", ()), ops, simulator=SimulatorSpec(rules, allow))
        write_simulator_note(place, simulator_note(spec, ops))
        assert aclnn_run(launch, **here).stdout == f"{judged} {expected} 2\n", rules
    assert aclnn_run(launch, OPFORGE_SIM_RULES="documented", **here).stdout == f"0 {expected} 2\n", "it wins"
    write_simulator_note(place, simulator_note(Spec(ProjectSpec("p", "p", "p", "0", ()), ops), ops))
    assert aclnn_run(launch, **here).stdout == "1 [] 1\n", "opforge.yaml does not have the block"
    (place / "simulator.json").write_text("{")
    said = aclnn_run('print(failure("AddCustom", Tensor([5]), Tensor([5]), 1.0, Tensor([5])))', **here).stdout
    assert f"{place}/simulator.json" in said
    assert "Install the package again" in said


def test_strided_inputs_are_copied(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        x = Tensor([3, 2], [float(i) for i in range(8)], strides=[1, 3], offset=2)   # a transposed view
        y = Tensor([3, 2], [5.0], strides=[0, 0])                                    # an expanded scalar
        z = Tensor([3, 2])
        status, size, executor = prepare("AddCustom", x, y, 1.0, z)
        assert (status, size) == (0, 1024), "two copies at multiples of 512"
        workspace = memory(bytes(size))
        assert launch("AddCustom", workspace, size, executor) == 0
        assert z.values() == [2 + 5, 5 + 5, 3 + 5, 6 + 5, 4 + 5, 7 + 5]
        assert last_launch()["regions"][:2] == [("x", workspace, 24, 0), ("y", workspace + 512, 24, 0)]
        assert last_launch()["roles"]["x"] == (5, 4, workspace, 24), "a copy, of which nothing else is known"
        # Strides of dimensions of one element, and of no elements, say nothing.
        for dims, strides in (([1, 3], [77, 1]), ([3, 1], [1, 77]), ([0, 3], [9, 9])):
            a, b, c = Tensor(dims, strides=strides), Tensor(dims), Tensor(dims)
            assert prepare("AddCustom", a, b, 1.0, c)[:2] == (0, 0), dims
        # Without AutoContiguous it is refused; IgnoreContiguous lets it through as it is.
        said = failure("ScaleInPlace", Tensor([2, 2], strides=[1, 2]), scalar(2.0))
        strided = "is a non-contiguous tensor: shape [2, 2], strides [1, 2]. Outputs must be contiguous (161002)"
        assert said == f"161002: EZ1001: ScaleInPlace: xInRef {strided}", said
        said = failure("AddCustom", Tensor([2, 2]), Tensor([2, 2]), 1.0, Tensor([2, 2], strides=[1, 2]))
        assert said == f"161002: EZ1001: AddCustom: out {strided}", said
        x, z = Tensor([2, 2], strides=[1, 4]), Tensor([16])
        call("MacroTiling", x, z)
        assert last_launch()["regions"][0] == ("x", x.address, 24, 0), "the extent that the view reaches"
        """
    )


def test_attributes_optional_inputs_and_host_values(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        def probe(op, beta, axes, epsilon, axis, dims, mode, training):
            x, y, mean = Tensor([2, 4]), Tensor([2, 4], dtype=FLOAT), Tensor([14])
            call(op, x, beta, axes, epsilon, axis, dims, mode, training, y, mean)
            raw = read(mean.address, 56)
            return (*struct.unpack("qqqqqfB", raw[:45]), raw[45:56].split(b"\\0")[0], read(y.address, 4))

        none = ctypes.c_void_p()
        seen = probe("LayerNormX", none, int_array(-7, 2), 1e-5, 3, none, none, True)
        assert seen[:5] == (-1, 2, -1, 3, -7), seen
        assert abs(seen[5] - 1e-5) < 1e-9
        assert seen[6:8] == (1, b'a"b'), seen
        assert seen[8] == struct.pack("i", -7), "the kernel got the array as int32"
        mode = ctypes.c_char_p(b"other")
        seen = probe("LayerNormX", Tensor([6]), int_array(4), 0.5, -1, int_array(), mode, False)
        assert seen[:8] == (6, 0, 0, -1, 4, 0.5, 0, b"other"), seen
        # As a tensor the value is on the device: tiling does not see it.
        axes = Tensor([2], [11, 12], dtype=INT32)
        seen = probe("LayerNormXTensor", none, axes, 0.5, -1, int_array(1, 2, 3), mode, False)
        assert seen[1:5] == (3, 6, -1, -99) and seen[8] == struct.pack("i", 11), seen
        """
    )


def test_in_place_scalars_and_tiling_by_macros(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        x = Tensor([3], [1.0, 2.0, 3.0])
        call("ScaleInPlace", x, scalar(1.5))
        assert x.values() == [1.5, 3.0, 4.5]
        names = [(name, writable) for name, _, _, writable in last_launch()["regions"]]
        assert names == [("x_in", 1), ("factor", 0)]
        assert last_launch()["roles"]["x_in"][0] == 1, "it holds values, and may keep them"
        assert last_launch()["args"][0] == last_launch()["args"][2] == x.address
        z = Tensor([16])
        call("MacroTiling", Tensor([1]), z)
        raw = read(z.address, 64)
        # As the naturally aligned C struct: uint32, int64[3], uint8, {uint16, int64}, float.
        assert struct.unpack_from("<Ixxxx3qB7xH6xqf", raw) == (7, 1, -2, 2**63 - 1, 255, 3, -5, 0.5)
        assert last_launch()["tiling_bytes"] == 64 and last_launch()["block_dim"] == 2
        assert last_launch()["unset"] == []
        """
    )


def test_first_values_of_outputs_and_scalars_of_other_dtypes(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        minus_1_5, half_2_5 = 0xBE00, 0x4100
        for count in (1, 3, 1009):
            x, total, most = Tensor([count]), Tensor([count], [7.0] * count), Tensor([5], [9] * 5, dtype=FLOAT16)
            call("Accumulate", x, scalar(2.5, DOUBLE), scalar(-3.9), total, most)
            assert total.values() == [1.0] + [0.0] * (count - 1), total.values()[:3]
            low_of_float_2_5, minus_3 = 0x0000, 0xFFFD
            assert most.values() == [minus_1_5, low_of_float_2_5, minus_3, minus_1_5, minus_1_5], most.values()
        # Without SetNeedAtomic(true), what was there stays.
        total, most = Tensor([2], [7.0] * 2), Tensor([5], [9] * 5, dtype=FLOAT16)
        call("Accumulate", Tensor([2]), scalar(2.5), scalar(4, INT64), total, most)
        assert total.values() == [8.0, 7.0] and most.values() == [9, 0, 4, 9, 9]
        total = Tensor([3], [7] * 3, dtype=FLOAT16)
        call("Accumulate", Tensor([3], dtype=FLOAT16), scalar(2.5, DOUBLE), scalar(0, INT8), total, most)
        assert most.values()[1] == half_2_5, "To(name) follows x"
        """
    )


def test_functions_registered_by_impl_op(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        for value in (42, -1):
            z = Tensor([8], dtype=INT64)
            call("Registered", int_array(value, 0), z)
            assert last_launch()["unset"] == [*range(24, 28), *range(32, 32 + 8 * 300)], "members, not the padding"
            assert z.values()[:3] == [48, 1, value], z.values()
        """
    )


def test_bad_arguments(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        none, good = ctypes.c_void_p(), lambda: Tensor([4])
        def check(said, expected):
            assert said == expected, said
        check(failure("AddCustom", none, good(), 1.0, good()),
              "161001: EZ1001: AddCustom: x is a null pointer, but it is required (161001)")
        check(failure("AddCustom", good(), good(), 1.0, none),
              "161001: EZ1001: AddCustom: out is a null pointer, but it is required (161001)")
        check(failure("AddCustom", Tensor([4], dtype=INT32), good(), 1.0, good()),
              "161002: EZ1001: AddCustom: x has dtype int32; on ascend910b it must be one of float16, float32 (161002)")
        check(failure("AddCustom", good(), Tensor([4], dtype=FLOAT16), 1.0, good()),
              "161002: EZ1001: AddCustom: the dtypes x float32, y float16, out float32 do not go together on "
              "ascend910b; the supported combinations are (float16, float16, float16), (float32, float32, float32) "
              "(161002)")
        check(failure("AddCustom", Tensor([4], form=FRACTAL_NZ), good(), 1.0, good()),
              "161002: EZ1001: AddCustom: x has format FRACTAL_NZ; on ascend910b it must be one of ND (161002)")
        assert prepare("AddCustom", Tensor([4], form=NCHW), good(), 1.0, good())[0] == 0
        check(failure("AddCustom", good(), good(), 1.0, Tensor([5])),
              "161002: EZ1001: AddCustom: out has shape [5]; InferShape gives [4] for x [4], y [4] (161002)")
        check(failure("AddCustom", Tensor([1] * 5), Tensor([1] * 5), 1.0, Tensor([1] * 5)),
              "561001: EZ9999: AddCustom: InferShape failed for x [1, 1, 1, 1, 1], y [1, 1, 1, 1, 1]: "
              "rank 5 has no place here (561001)")
        assert api.aclnnAddCustomGetWorkspaceSize(none, none, ctypes.c_double(1), none, none, none) == 161001
        check(message(), "EZ1001: AddCustom: workspaceSize is a null pointer (161001)")
        assert launch("AddCustom", 0, 0, none) == 161001
        check(message(), "EZ1001: executor is a null pointer: did the first phase (aclnn...GetWorkspaceSize) fail? "
                         "(161001)")
        status, size, executor = prepare("AddCustom", Tensor([2000]), Tensor([2000]), 1.0, Tensor([2000]))
        assert launch("AddCustom", memory(bytes(127)), 127, executor) == 161002
        check(message(), "EZ1001: AddCustom: workspaceSize is 127, but the first phase asked for 128 bytes (161002)")
        executor = prepare("AddCustom", Tensor([2000]), Tensor([2000]), 1.0, Tensor([2000]))[2]
        assert launch("AddCustom", 0, 128, executor) == 161001
        executor = prepare("AddCustom", Tensor([4], address=0), good(), 1.0, good())[2]
        assert launch("AddCustom", 0, 0, executor) == 161001
        check(message(), "EZ1001: AddCustom: the address of x is null although it has 4 elements (161001)")
        view = Tensor([2, 2], address=64, strides=[1, 2])
        status, size, executor = prepare("AddCustom", view, Tensor([2, 2]), 1.0, Tensor([2, 2]))
        assert launch("AddCustom", memory(bytes(size)), size, executor) == 161002
        check(message(), "EZ1001: AddCustom: the address of x is not device memory (161002)")
        assert Tensor([-1], [0.0]).handle is None
        """
    )


def test_infer_shape_is_not_asked_on_a_device(aclnn_run: AclnnRun) -> None:
    """CANN's runtime of generated functions does not call it: opbase, src/nnopbase/individual_op."""
    code = 'assert prepare("AddCustom", Tensor([4]), Tensor([4]), 1.0, Tensor([5]))[0] == 0'
    aclnn_run(code, OPFORGE_SIM_RULES="device")


def test_a_failing_tiling_tells_its_reason(aclnn_run: AclnnRun) -> None:
    done = aclnn_run(
        """
        def said(count):
            return failure("AddCustom", Tensor([count]), Tensor([count]), 1.0, Tensor([count]))
        unlucky = said(13)
        where = "561002: EZ9999: AddCustom: tiling failed for x [13], y [13] on Ascend910B1: "
        assert unlucky.startswith(where), unlucky
        assert unlucky.endswith("AddCustom: 13 elements are unlucky (561002)"), unlucky
        assert said(17).endswith("on Ascend910B1. It wrote no reason to stderr (561002)")
        assert said(23).endswith("AddCustom: 23 elements are too prime (561002)"), said(23)
        assert said(19).endswith("tiling set no block dim. Call context->SetBlockDim() with 1 or more (561002)")
        """
    )
    assert done.stderr.count("13 elements are unlucky") == 1  # shown as it happens, and only once
    assert "are not said" not in done.stderr


def test_tiling_sees_the_soc_and_64_bit_lengths(aclnn_run: AclnnRun) -> None:
    code = """
        big = Tensor([70001, 70001], address=1 << 40)
        status, size, executor = prepare("AddCustom", big, big, 1.0, big)
        assert (status, size) == (0, 128)
        x, z = Tensor([3]), Tensor([3])
        call("AddCustom", x, x, 1.0, z)
        assert last_launch()["op"] == "AddCustom"
    """
    aclnn_run(code)
    aclnn_run(code, OPFORGE_SOC="Ascend910B4")


def test_the_platform_of_the_current_soc(aclnn_run: AclnnRun) -> None:
    code = """
        library = ctypes.CDLL("libtiling_api.so")
        instance = library._ZN16platform_ascendc22PlatformAscendCManager11GetInstanceEPKc
        instance.restype, cores = ctypes.c_void_p, library._ZNK16platform_ascendc15PlatformAscendC13GetCoreNumAivEv
        cores.argtypes = [ctypes.c_void_p]
        found = instance(None)
        print(cores(found) if found else None)
    """
    assert aclnn_run(code).stdout == "48\n"
    assert aclnn_run(code, OPFORGE_SOC="Ascend910B4").stdout == "40\n"
    assert aclnn_run(code, OPFORGE_SOC="Ascend910_9999").stdout == "None\n"


def test_live_objects_are_counted_by_kind(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        number, double = (ctypes.c_int64 * 2)(3, 4), (ctypes.c_double * 1)(1.0)
        floats, bools = (ctypes.c_float * 2)(1, 2), (ctypes.c_bool * 2)(True, False)
        start = {kind: live(kind) for kind in OBJECTS}

        def grown():
            return {kind: live(kind) - start[kind] for kind in OBJECTS if live(kind) != start[kind]}

        makers = {
            "aclIntArray": lambda: meta.aclCreateIntArray(number, ctypes.c_uint64(2)),
            "aclFloatArray": lambda: meta.aclCreateFloatArray(floats, ctypes.c_uint64(2)),
            "aclBoolArray": lambda: meta.aclCreateBoolArray(bools, ctypes.c_uint64(2)),
            "aclScalar": lambda: meta.aclCreateScalar(double, DOUBLE),
            "aclTensor": lambda: Tensor([2]).handle,
        }
        for kind, make in makers.items():
            made = ctypes.c_void_p(make())
            assert grown() == {kind: 1}, (kind, grown())
            assert getattr(meta, "aclDestroy" + kind[3:])(made) == 0
            assert grown() == {}
        for element, kind in (("aclTensor", "aclTensorList"), ("aclScalar", "aclScalarList")):
            listed = (ctypes.c_void_p * 2)(makers[element](), makers[element]())
            made = ctypes.c_void_p(getattr(meta, "aclCreate" + kind[3:])(listed, ctypes.c_uint64(2)))
            assert grown() == {element: 2, kind: 1}
            assert getattr(meta, "aclDestroy" + kind[3:])(made) == 0
            assert grown() == {}
        assert live("aclShape") == -1
        assert meta.opforgeSimLive(None) == -1
        tensors = [Tensor([2], [1.0, 2.0]) for _ in range(3)]
        status, _, executor = prepare("AddCustom", *tensors[:2], 1.0, tensors[2])
        assert grown() == {"aclTensor": 3, "aclOpExecutor": 1}
        assert meta.aclDestroyAclOpExecutor(executor) == 0
        assert prepare("AddCustom", tensors[0], ctypes.c_void_p(), 1.0, tensors[2])[0] != 0
        assert grown() == {"aclTensor": 3}, "a refused first phase keeps nothing"
        """
    )


def test_empty_outputs_launch_nothing(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        empty = [Tensor([0, 5]) for _ in range(3)]
        before = live_objects()
        call("AddCustom", *empty[:2], 1.0, empty[2])
        acl.double_last_launch.restype = ctypes.c_char_p
        assert acl.double_last_launch() == b"", "nothing was launched"
        assert live_objects() == before, "the executor is gone all the same"
        status, _, executor = prepare("MacroTiling", Tensor([0]), Tensor([0]))   # LaunchWithZeroEleOutputTensors
        assert status == 0
        meta.aclDestroyAclOpExecutor(executor)
        assert live_objects() == before + 2
        """
    )


def test_a_repeatable_executor(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        x, y, z = Tensor([2], [1.0, 2.0]), Tensor([2], [10.0, 20.0]), Tensor([2])
        status, size, executor = prepare("AddCustom", x, y, 1.0, z)
        assert meta.aclSetAclOpExecutorRepeatable(executor) == 0
        other = Tensor([2], [5.0, 6.0])
        for source, expected in ((x, [11.0, 22.0]), (other, [15.0, 26.0]), (other, [15.0, 26.0])):
            assert meta.aclSetInputTensorAddr(executor, 0, x.handle, source.address) == 0
            assert launch("AddCustom", 0, 0, executor) == 0
            assert z.values() == expected
        assert meta.aclSetInputTensorAddr(executor, 2, x.handle, x.address) == 161002
        before = live_objects()
        meta.aclDestroyAclOpExecutor(executor)
        assert live_objects() == before - 1
        """
    )


def test_threads_share_packages(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        import threading
        wrong = []
        def work(number):
            for step in range(50):
                count = 100 * number + step
                x, z = Tensor([count], [1.0] * count), Tensor([count])
                call("AddCustom", x, x, 1.0, z)
                if z.values() != [2.0] * count:
                    wrong.append(count)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 5)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert not wrong and not any(thread.is_alive() for thread in threads)
        """
    )


def test_packages_that_lack_something(aclnn_run: AclnnRun, package: Path, tmp_path: Path) -> None:
    say = 'print(failure("AddCustom", Tensor([4]), Tensor([4]), 1.0, Tensor([4])))'

    def said(code: str = say, **env: str) -> str:
        return aclnn_run(code, **env).stdout

    # Another SoC than the package was built for; one the op was never declared for.
    assert said(OPFORGE_SOC="Ascend910_9391") == (
        f"561112: EZ1013: AddCustom: the package {package} has kernels for ascend910b, not for ascend910_93 (this "
        "device is Ascend910_9391). Build the package for ascend910_93, or run on one of those SoCs (561112)\n"
    )
    assert said(OPFORGE_SOC="Ascend310P3").startswith(
        "561112: EZ1013: AddCustom is declared for ascend910_93, ascend910b, not for ascend310p (this device is "
    )
    two = 'print(failure("NotBuilt", Tensor([4], dtype=INT8), Tensor([4], dtype=INT8)))'
    assert said(two) == (
        f"561003: EZ1013: NotBuilt: the package {package} has no kernel for x int8 -> out int8 on ascend910b; it has "
        "(float32, float32). Build the package again with these dtypes (561003)\n"
    )
    assert said(ASCEND_CUSTOM_OPP_PATH="").startswith("561107: EZ1002: AddCustom: no operator package is installed.")
    assert said(ASCEND_CUSTOM_OPP_PATH=str(tmp_path)) == (
        "561003: EZ1013: AddCustom: no installed operator package has this op. Looked for "
        f"op_impl/ai_core/tbe/kernel/config/ascend910b/add_custom.json in {tmp_path} (561003)\n"
    )
    copy = tmp_path / "copy"
    shutil.copytree(package, copy, symlinks=True)
    config = copy / "op_impl" / "ai_core" / "tbe" / "kernel" / "config" / "ascend910b" / "add_custom.json"
    entries = json.loads(config.read_text())
    config.write_text('{\n"binList": [nonsense]}')
    env = {"ASCEND_CUSTOM_OPP_PATH": str(copy)}
    assert said(**env) == f"561108: EZ1013: AddCustom: {config}: line 2: a value is expected (561108)\n"
    config.write_text(json.dumps(entries))
    kernel = copy / "op_impl" / "ai_core" / "tbe" / "kernel" / "ascend910b" / "add_custom" / "AddCustom_f32.o"
    kernel.unlink()
    assert said(**env) == (
        f"561003: EZ1013: {kernel.with_suffix('.json')} names {kernel}, which does not exist. Install the package "
        "again (561003)\n"
    )
    shutil.rmtree(copy / "op_impl" / "ai_core" / "tbe" / "op_tiling")
    assert said(**env) == (
        f"561002: EZ1013: AddCustom: the tiling library of {copy} does not load: there is no "
        "op_impl/ai_core/tbe/op_tiling/liboptiling.so (561002)\n"
    )


def test_order_of_packages(aclnn_run: AclnnRun, package: Path, tmp_path: Path) -> None:
    """Entries of ASCEND_CUSTOM_OPP_PATH first, then load_priority; the first that has op and SoC serves it."""

    plain, other = (tmp_path / "opp" / "vendors" / name for name in ("plain", "other"))
    shutil.copytree(package, plain, symlinks=True)
    shutil.copytree(package, other, symlinks=True)
    kernels = other / "op_impl" / "ai_core" / "tbe" / "kernel" / "ascend910b" / "add_custom"
    shutil.copy2(kernels / "AddCustom_f16.o", kernels / "AddCustom_f32.o")  # there, float32 copies some of x
    (tmp_path / "opp" / "vendors" / "config.ini").write_text("load_priority=missing,other,plain\n")
    code = """
        x, z = Tensor([2], [1.0, 2.0]), Tensor([2])
        call("AddCustom", x, x, 1.0, z)
        print(z.values()[0])
    """

    def ran(custom: str) -> str:
        env = {"ASCEND_CUSTOM_OPP_PATH": custom, "ASCEND_OPP_PATH": str(tmp_path / "opp")}
        return {"2.0": "plain", "1.0": "other"}[aclnn_run(code, **env).stdout.strip()]

    assert ran(f":{plain}:{other}") == "plain"
    assert ran(f"{other}:{plain}") == "other"
    assert ran("") == "other"
    assert ran(str(tmp_path / "nowhere")) == "other"


def test_a_package_is_looked_up_once(aclnn_run: AclnnRun, package: Path, tmp_path: Path) -> None:
    """A later call opens no file, whatever stands in ASCEND_CUSTOM_OPP_PATH: all that could be found is gone."""
    first, second, serving = (tmp_path / name for name in ("first", "second", "serving"))
    for folder in (first, second):
        (folder / "op_impl" / "ai_core" / "tbe" / "kernel" / "config" / "ascend910b").mkdir(parents=True)
    shutil.copytree(package, serving, symlinks=True)
    done = aclnn_run(
        f"""
        import shutil
        x, y, z = Tensor([2], [1.0, 2.0]), Tensor([2], [10.0, 20.0]), Tensor([2])

        def executor():
            status, _, prepared = prepare("AddCustom", x, y, 1.0, z)
            assert status == 0, message()
            return prepared

        executor()
        shutil.rmtree("{serving}")
        shutil.copytree("{package}", "{first}", dirs_exist_ok=True)
        os.environ["ASCEND_CUSTOM_OPP_PATH"] = "{second}"
        executor()
        print("the same package")
        """,
        ASCEND_CUSTOM_OPP_PATH=f"{first}:{second}:{serving}",
    )
    assert done.stdout == "the same package\n"
