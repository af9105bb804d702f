"""The unmodified torch_npu wheel on the simulated device."""

from __future__ import annotations

import re
import signal

import pytest

pytestmark = pytest.mark.npu

QUEUE_MODES = ("0", *(pytest.param(mode, marks=pytest.mark.slow) for mode in "12"))


@pytest.mark.parametrize("mode", QUEUE_MODES)
def test_tensors_operators_and_gradients(npu_run, mode: str) -> None:
    """One child for each task queue mode: what runs in which thread must not change a result."""
    npu_run(
        """
        import io, torch, torch_npu
        assert torch.npu.is_available() and torch.npu.device_count() == 1
        assert torch.npu.get_device_name() == "Ascend910B1"
        torch.manual_seed(7)
        for count in (0, 1, 7, 8, 9, 255, 1009, 100003):
            a, b = torch.randn(count), torch.randn(count)
            x, y = a.npu(), b.npu()
            for got, want in [
                (x + y, a + b), (x * 2 - y, a * 2 - b), (x.exp(), a.exp()), (torch.where(x > y, x, y), a.maximum(b)),
                (x[::2] + y[::2], a[::2] + b[::2]), (x.flip(0), a.flip(0)), (x.sum(), a.sum()),
                (torch.cat([x, y]), torch.cat([a, b])), (x.half() + y.half(), a.half() + b.half()),
                (x.bfloat16(), a.bfloat16()), (x.sort().values, a.sort().values),
            ]:
                assert got.device.type == "npu"
                assert torch.equal(got.cpu(), want), count
        m = torch.randn(17, 5)
        n = m.npu()
        kept = io.BytesIO()
        torch.save(n, kept, _use_new_zipfile_serialization=False)
        kept.seek(0)
        assert torch.equal(torch.load(kept), n)
        n[3:7].t().copy_(torch.ones(5, 4))
        m[3:7] = 1
        assert torch.equal(n.cpu(), m) and torch.equal(n.t().contiguous().cpu(), m.t())
        n.add_(1).mul_(2)
        assert torch.equal(n.cpu(), (m + 1) * 2)
        c = torch.complex(m, m * 2)
        for lazy in (c.npu().conj(), c.npu().conj().imag, c.npu().conj().t()[1:]):
            assert lazy.device.type == "npu" and (lazy.is_conj() or lazy.is_neg())
        assert torch.equal(c.npu().conj().cpu(), c.conj()) and torch.equal(c.npu().conj().imag.cpu(), c.conj().imag)
        assert torch.equal((c.npu().conj().t() * 2).cpu(), c.conj().t() * 2)
        out = torch.empty(0, device="npu")
        torch.add(n, n, out=out)
        assert torch.equal(out.cpu(), n.cpu() * 2)
        assert torch.arange(5, device="npu").tolist() == [0, 1, 2, 3, 4] and n[0, 0].item() == (m[0, 0] + 1) * 2
        assert torch.randint(0, 9, (5,), device="npu").max() < 9 and "npu:0" in str(n)

        def net(w, data):
            return torch.nn.functional.silu(data @ w).pow(2).mean()
        w = torch.randn(5, 3, requires_grad=True)
        net(w, m).backward()
        v = w.detach().npu().requires_grad_()
        net(v, m.npu()).backward()
        torch.testing.assert_close(v.grad.cpu(), w.grad)
        assert torch.nn.functional.scaled_dot_product_attention(*[m.npu()[None, None]] * 3).shape == (1, 1, 17, 5)
        with torch.autocast("npu", dtype=torch.float16):
            assert (v.t() @ v).dtype == torch.float16
        """,
        TASK_QUEUE_ENABLE=mode,
    )


def test_storage_in_blocks(npu_run) -> None:
    npu_run(
        """
        import torch, torch_npu
        base = torch_npu.npu_format_cast(torch.ones(17, 33).npu(), 29)  # torch_npu's default: it stays in rows
        assert torch_npu.get_npu_format(base) == 2 and torch.equal(base.cpu(), torch.ones(17, 33))
        torch.npu.config.allow_internal_format = True
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int32):
            for shape in ((1, 1), (16, 16), (15, 32), (17, 33), (3, 48, 100), (2, 3, 5, 7)):
                a = torch.randint(-100, 100, shape).to(dtype)
                b = torch_npu.npu_format_cast(a.npu(), 29)
                assert torch_npu.get_npu_format(b) == 29 and b.shape == a.shape
                assert torch.equal(b.cpu(), a) and torch.equal((b + 1).cpu(), a + 1), (dtype, shape)
                assert torch.equal(torch_npu.npu_format_cast(b, 2).cpu(), a), (dtype, shape)
                c = b.clone()
                assert torch_npu.get_npu_format(c) == 29 and torch.equal(c.cpu(), a), (dtype, shape)
                width = 32 if dtype == torch.int8 else 16
                rows, columns = (shape[-2] + 15) // 16 * 16, (shape[-1] + width - 1) // width * width
                assert torch_npu.get_storage_size(b) == a.numel() // (shape[-1] * shape[-2]) * rows * columns
        for wrong in (lambda: b.add_(1), lambda: b.copy_(a.npu()), lambda: torch_npu.npu_format_cast(a.npu(), 3)):
            try:
                wrong()
            except (NotImplementedError, RuntimeError) as error:
                print(str(error).splitlines()[0])
        """
    )


def test_streams_events_generators_and_memory(npu_run) -> None:
    npu_run(
        """
        import torch, torch_npu
        side = torch.npu.Stream()
        first, last = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
        x = torch.ones(1009, device="npu")
        first.record()
        with torch.npu.stream(side):
            side.wait_event(first)
            y = x * 3
            last.record(side)
        torch.npu.current_stream().wait_stream(side)
        last.synchronize()
        torch.npu.synchronize()
        assert last.query() and side.query() and 0 <= first.elapsed_time(last) < 60000
        assert y.sum().item() == 3027

        torch.npu.manual_seed(5)
        a = torch.randn(9, device="npu")
        state = torch.npu.get_rng_state()
        b = torch.randn(9, device="npu")
        torch.npu.set_rng_state(state)
        assert torch.equal(b, torch.randn(9, device="npu")) and not torch.equal(a, b)
        torch.npu.manual_seed(5)
        assert torch.equal(a, torch.randn(9, device="npu"))
        g = torch.Generator(device="npu").manual_seed(5)
        assert torch.equal(a, torch.randn(9, device="npu", generator=g))

        assert x.cpu().pin_memory().is_pinned()
        before = torch.npu.memory_allocated()
        big = torch.empty(1 << 20, device="npu")
        assert torch.npu.memory_allocated() - before >= 4 << 20
        free, total = torch.npu.mem_get_info()
        assert total == 64 << 20 and 0 < free < total
        try:
            torch.empty(1 << 26, device="npu")
        except torch.OutOfMemoryError as e:
            assert "NPU out of memory" in str(e)
        else:
            raise AssertionError("64 MiB hold 256 MiB")
        del big
        torch.npu.empty_cache()
        assert torch.npu.memory_allocated() == before

        second = torch.ones(3, device="npu:1")
        assert second.device.index == 1 and torch.equal(second.to("npu:0").cpu(), torch.ones(3))
        """,
        OPFORGE_SIM_MEMORY="64M",
        OPFORGE_SIM_DEVICES="2",
    )


def test_what_hardware_refuses_is_refused(npu_run) -> None:
    npu_run(
        """
        import torch, torch_npu
        x = torch.ones(3, device="npu")
        def error(f):
            try:
                f()
            except (RuntimeError, NotImplementedError) as e:
                return str(e)
            raise AssertionError("not refused")
        text = error(lambda: x + torch.ones(3))
        assert "at least two devices, npu and cpu (in aten::add.Tensor)" in text, text
        assert torch.equal((x + torch.tensor(2.0)).cpu(), torch.full((3,), 3.0))  # CPU scalars may take part
        assert torch.equal(x[torch.tensor([0, 2])].cpu(), torch.ones(2))          # and so may CPU indices
        assert x.to(torch.float64).dtype == torch.float32  # torch_npu's own rule for this SoC
        text = error(lambda: torch_npu.npu_rms_norm(x, x))
        assert "aclnnRmsNorm" in text or "RmsNorm" in text, text
        text = error(lambda: torch.nn.LSTMCell(2, 2).npu()(torch.ones(1, 2, device="npu")))
        assert "aten::_thnn_fused_lstm_cell has no CPU kernel" in text, text
        text = error(lambda: torch.ones(3, device="npu:4"))
        assert "4" in text
        """
    )


def test_reading_a_device_pointer_on_the_host_dies_with_the_reason(npu_run) -> None:
    done = npu_run(
        "import torch, torch_npu, ctypes; ctypes.string_at(torch.ones(3, device='npu').data_ptr(), 4)", check=False
    )
    assert done.returncode == -signal.SIGSEGV
    assert "host code dereferenced a device pointer" in done.stderr


@pytest.mark.slow
def test_child_processes(npu_run) -> None:
    """A spawned child has its own device; a child forked afterwards is refused by torch_npu or by us, in words."""
    done = npu_run(
        """
        import os, subprocess, sys
        import torch, torch_npu
        x = torch.ones(3, device="npu")
        twice = "import torch, torch_npu; print((torch.ones(3, device='npu') * 2).tolist())"
        print(subprocess.check_output([sys.executable, "-c", twice], text=True), flush=True)
        child = os.fork()
        if child == 0:
            try:
                torch.ones(3, device="npu") + 1
            except RuntimeError as e:
                print("refused:", str(e).splitlines()[0], flush=True)
            os._exit(0)
        assert os.waitpid(child, 0) == (child, 0)
        assert (x + 1).tolist() == [2, 2, 2]
        """
    )
    assert "[2.0, 2.0, 2.0]" in done.stdout
    assert "refused: " in done.stdout
    assert "fork" in done.stdout.lower()


def test_a_missing_aten_library_is_explained(npu_run, toolkit_root, tmp_path) -> None:
    """A toolkit that knows no such PyTorch says what to type."""
    moved = tmp_path / "toolkit"
    (moved / "lib64").mkdir(parents=True)
    (moved / "opp").mkdir()
    (moved / "runtime").mkdir()
    (moved / "compiler").mkdir()
    (moved / "data").symlink_to(toolkit_root / "data")
    for library in (toolkit_root / "lib64").glob("*.so"):
        (moved / "lib64" / library.name).write_bytes(library.read_bytes())
    done = npu_run(
        "import torch, torch_npu; torch.ones(3, device='npu')",
        check=False,
        ASCEND_HOME_PATH=str(moved),
        ASCEND_OPP_PATH=str(moved / "opp"),
        LD_LIBRARY_PATH=str(moved / "lib64"),
    )
    assert done.returncode != 0
    assert re.search(
        r"the simulated toolkit has no ATen operators for PyTorch \S+ \(.*\): .*\. They are built once for each"
        r" PyTorch: run 'opforge run -- true' in this environment, then try again",
        done.stderr,
    ), done.stderr
