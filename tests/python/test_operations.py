"""Operations, operators, streams and numbers."""

import inspect
import sys
import threading

import numpy as np
import pytest

import kernelgen as kg

A = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], np.float32)


def test_every_operation_of_the_library_is_there():
    elementwise = {operation.name for operation in kg.Package().operations if operation.kind == "map"}
    # These have other names in C, or the array API's here.
    assert elementwise - set(kg.operations.__all__) <= {"copy", "cast", "fill", "powf", "sqr"}
    for name in kg.operations.__all__:
        signature = inspect.signature(getattr(kg, name))
        assert signature.parameters["stream"].kind == inspect.Parameter.KEYWORD_ONLY


def test_a_call_of_tensors_goes_through_few_functions():
    x, out, ids, entered = kg.tensor(A), kg.empty(A.shape), kg.tensor(np.array([0, 1])), []
    calls = {"sqrt": lambda: kg.sqrt(x, out=out), "index_select": lambda: kg.index_select(x, 0, ids, out=out),
             "scatter_add_set": lambda: kg.scatter_add_set(out, 0, places, x)}
    places = kg.tensor(np.zeros((2, 3), np.int64))
    for name, call in calls.items():
        call()
        entered.clear()
        sys.setprofile(lambda frame, event, _: event == "call" and entered.append(frame.f_code.co_name))
        try:
            call()
        finally:
            sys.setprofile(None)
        assert entered == ["<lambda>", name]


def test_joined_padded_and_moved_elements_are_numpys():
    x = kg.tensor(A)
    assert kg.concat([x, A], 0).tolist() == np.concatenate([A, A]).tolist()
    assert kg.stack([A, x], 1).tolist() == np.stack([A, A], 1).tolist()
    assert kg.pad(x, [0, 1], [1, 2], 7).tolist() == np.pad(A, ((0, 1), (1, 2)), constant_values=7).tolist()
    for function, mode in ((kg.pad_reflect, "reflect"), (kg.pad_replicate, "edge"), (kg.pad_circular, "wrap")):
        assert function(A, [1], [2]).tolist() == np.pad(A, ((0, 0), (1, 2)), mode).tolist()
    assert x.roll([1], [1]).tolist() == np.roll(A, 1, 1).tolist()
    assert x.roll([1, -1]).tolist() == np.roll(A, (1, -1), (0, 1)).tolist()
    assert x.tril().tolist() == np.tril(A).tolist() and x.triu(1).tolist() == np.triu(A, 1).tolist()
    assert kg.diag(A[0]).tolist() == np.diag(A[0]).tolist()
    assert kg.arange("cpu", 1, 7, 2, "i32").tolist() == [1, 3, 5]
    assert kg.clip(x, -1, 4).tolist() == np.clip(A, -1, 4).tolist()


def test_scaled_softmax_leaves_out_what_is_none():
    x = kg.tensor(A.reshape(1, 2, 3))
    mask = np.array([0, 0, -np.inf], np.float32)
    assert np.allclose(kg.scaled_softmax(x).numpy(), kg.softmax(x).numpy())
    masked = kg.scaled_softmax(x, 0.5, mask, sinks=np.zeros(1, np.float32)).numpy()
    powers = np.exp(0.5 * A + mask)
    assert np.allclose(masked, powers / (powers.sum(-1, keepdims=True) + 1))


def test_a_call_by_few_functions_fails_as_others_do():
    x, out = kg.tensor(A), kg.empty((2, 2))
    messages = []
    for stream in (None, kg.Device().new_stream()):
        for call in (lambda: kg.sqrt(x, out=out, stream=stream), lambda: kg.sum(x, [5], out=out, stream=stream),
                     lambda: kg.scatter_set(out, 0, x, x, stream=stream)):
            with pytest.raises(kg.InvalidArgument) as problem:
                call()
            messages.append(str(problem.value))
    assert messages[:3] == messages[3:] and all(messages)


def test_methods_and_the_array_apis_names():
    x = kg.tensor(A)
    assert x.sum().item() == A.sum() and x.max(1, keep_dims=True).tolist() == A.max(1, keepdims=True).tolist()
    assert np.allclose(x.softmax().sum(-1).numpy(), 1) and x.matmul(A.T).tolist() == (A @ A.T).tolist()
    assert x.square().tolist() == kg.square(x).tolist() == (A * A).tolist()
    assert x.argsort().tolist() == kg.argsort(x).tolist() == np.argsort(A).tolist()
    assert x.sort()[0].tolist() == np.sort(A).tolist() and x.mean([0]).tolist() == A.mean(0).tolist()
    out = kg.empty(A.shape)
    assert x.abs(out=out) is out and out.tolist() == abs(A).tolist()
    assert kg.subtract(x, 1).tolist() == x.sub(1).tolist() == (A - 1).tolist()
    assert x.astype("f16").dtype == kg.astype(x, "f16").dtype == kg.f16


def test_operators():
    x = kg.tensor(A)
    for given, wanted in [
        (x + A, A + A), (A + x, A + A), (x + 1, A + 1), (2 - x, 2 - A), (x * -0.5, A * -0.5), (1 / x, 1 / A),
        (x / 2, A / 2), (-x, -A), (abs(x), abs(A)), (x**2, A**2), (x @ A.T, A @ A.T), (A @ x.T, A @ A.T),
        (x == 3, A == 3), (x != A, A != A), (x < 0, A < 0), (x >= A[0], A >= A[0]), (3 > x, 3 > A),
        (x + np.float32(1), A + 1),
    ]:
        assert isinstance(given, kg.Tensor)
        assert np.allclose(given.numpy(), wanted)
    assert np.signbit((kg.tensor([-0.0]) * 1).numpy())[0]
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError):
        x + None
    assert len({x, kg.tensor(A)}) == 2


def test_numbers_take_the_last_arrays_dtype():
    assert (kg.tensor([1, 2], "i16") + 1).dtype == kg.i16
    assert kg.where(A > 0, 0.5, A).dtype == kg.f32
    assert kg.maximum(0, A).tolist() == np.maximum(0, A).tolist()
    integers, small = kg.tensor([1, 2]), kg.tensor([1], "u8")
    for wrong in (lambda: integers + 0.5, lambda: kg.affine(integers, 0.5, 1), lambda: kg.affine(integers, 1, float("nan"))):
        with pytest.raises(kg.InvalidArgument, match="holds whole numbers"):
            wrong()
    for wrong in (lambda: small + 256, lambda: kg.affine(small, 1, 256), lambda: kg.affine(small, -1.0, 0)):
        with pytest.raises(kg.InvalidArgument, match="holds 0 to 255"):
            wrong()
    with pytest.raises(TypeError, match="a must be a Tensor"):
        kg.add(1, 2)


def test_arrays_go_to_the_tensors_device():
    x = kg.tensor(A, device="cpu:2")
    assert (x + A).device == kg.Device("cpu:2")
    assert kg.index_select(x, 1, np.array([2, 0])).tolist() == A[:, [2, 0]].tolist()
    out = np.zeros_like(A)
    assert kg.add(x, A, out=out) is out and np.array_equal(out, A + A)


def test_reductions():
    x = kg.tensor(A)
    assert kg.sum(x).item() == A.sum()
    assert kg.sum(x, 1).tolist() == A.sum(1).tolist()
    assert kg.sum(x, [0, -1], keep_dims=True).shape == (1, 1)
    assert kg.mean(x, dims=0, keep_dims=True).tolist() == A.mean(0, keepdims=True).tolist()
    assert kg.sum(x, []).tolist() == A.tolist()
    assert kg.argmax(x).item() == A.argmax() and kg.argmin(x, 0).tolist() == A.argmin(0).tolist()
    values, places = kg.max_with_index(x, 1)
    assert values.tolist() == A.max(1).tolist() and places.tolist() == A.argmax(1).tolist()


def test_two_results():
    values, places = kg.sort(A)
    assert values.tolist() == np.sort(A).tolist() and places.tolist() == np.argsort(A).tolist()
    out = kg.empty((2, 3))
    values, places = kg.sort(A, ascending=False, out_values=out)
    assert values is out and out.tolist() == np.sort(A)[:, ::-1].tolist() and places.dtype == kg.u32
    loss, log_sum_exp = kg.cross_entropy(A, np.array([0, 1], np.uint32))
    assert np.allclose(log_sum_exp.numpy(), np.log(np.exp(A).sum(-1)), rtol=1e-6) and loss.shape == (2,)
    assert kg.cross_entropy(A, np.array([0, 1], np.uint32), out_log_sum_exp=False)[1] is None


def test_windows_and_pairs():
    image, weight = np.ones((1, 2, 4, 5), np.float32), np.ones((3, 2, 3, 3), np.float32)
    assert kg.conv2d(image, weight).shape == (1, 3, 2, 3)
    assert kg.conv2d(image, weight, padding=1, stride=(2, 1)).shape == (1, 3, 2, 5)
    assert kg.conv1d(image[:, :, 0], weight[:, :, 0], padding=1).shape == (1, 3, 5)
    assert kg.max_pool2d(image, 2, 2).shape == (1, 2, 2, 2)
    assert kg.upsample_bilinear2d(image, (8, 10), scale_height=2.0, scale_width=2.0).shape == (1, 2, 8, 10)
    with pytest.raises(ValueError, match="padding must be one number or two"):
        kg.conv2d(image, weight, padding=(1, 2, 3))


def test_attention():
    q, k, v = (np.random.default_rng(7).standard_normal((1, 2, 5, 8)).astype(np.float32) for _ in range(3))
    logits = np.where(np.tril(np.ones((5, 5), bool)), q @ k.swapaxes(2, 3) * 0.25, -np.inf)
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    got, sums = kg.attention(q, k, v, scale=0.25, causal=True, return_log_sum_exp=True)
    assert np.allclose(got.numpy(), shares / shares.sum(-1, keepdims=True) @ v, atol=1e-5)
    assert kg.attention(q, k, v, scale=0.25, causal=True).tolist() == got.tolist()
    assert np.allclose(kg.attention(q, k, v, window_left=0, window_right=0).numpy(), v, atol=1e-5)
    assert np.allclose(sums.numpy(), np.log(np.exp(logits).sum(-1)), atol=1e-5)


def test_quantized():
    rng = np.random.default_rng(7)
    x, w = rng.standard_normal((3, 64)).astype(np.float32), rng.standard_normal((5, 64)).astype(np.float32)
    weights = kg.quantize(w, "q8_0")
    assert np.allclose(kg.quantized_matmul(x, weights).numpy(), x @ w.T, atol=0.5)
    assert np.allclose(kg.dequantize(weights, "f32").numpy(), w, atol=0.02)
    assert kg.get_rows(weights, np.array([4, 0], np.int64), "f16").shape == (2, 64)
    assert kg.from_bytes(weights.tobytes(), "q8_0", (5, 64)).tobytes() == weights.tobytes()


def test_by_name():
    assert kg.reduce("sum", A, 1, keep_dims=True).tolist() == kg.sum(A, 1, keep_dims=True).tolist()
    assert kg.reduce_inputs("sum", [A], 1, keep_dims=True).tolist() == kg.sum(A, 1, keep_dims=True).tolist()
    assert kg.reduce_inputs("sum", [A]).tolist() == kg.sum(A).tolist()
    assert kg.call("sum", [A]).tolist() == kg.sum(A).tolist()
    assert kg.call("add", [A, 1]).tolist() == (A + 1).tolist()
    total, = kg.call_all("sum", [A])
    assert total.tolist() == kg.sum(A).tolist()
    assert np.allclose(kg.call("elu", [A], [0.5]).numpy(), kg.elu(A, 0.5).numpy())
    with pytest.raises(kg.NotFound, match="affine"):
        kg.call("afine", [A])


def test_random_numbers():
    device = kg.Device("cpu")
    device.seed = 2**64 - 1
    assert device.seed == 2**64 - 1
    first = kg.rand_normal(device, (100,), "f32", 0, 1).tolist()
    device.seed = 2**64 - 1
    assert kg.rand_normal("cpu", (100,), "f32", 0, 1).tolist() == first
    with pytest.raises(OverflowError):
        device.seed = -1


def test_streams_and_events():
    device = kg.Device("cpu")
    stream = device.new_stream()
    y = kg.add(A, 1, stream=stream)
    start = device.record(stream)
    with stream as current:
        assert current is stream
        z = y + 1  # in the stream
        with device.new_stream():
            pass
    end = device.record(stream)
    device.wait(end)
    stream.synchronize()
    end.synchronize()
    assert start.elapsed(end) >= 0 and stream.native is None
    assert z.tolist() == (A + 2).tolist()
    with pytest.raises(TypeError, match="stream must be a Stream"):
        kg.add(A, 1, stream=1)


def test_a_stream_is_the_current_one_of_its_thread_only():
    from kernelgen.stream import current

    stream, seen = kg.Device("cpu").new_stream(), []
    with stream:
        thread = threading.Thread(target=lambda: seen.append(current(None)))
        thread.start()
        thread.join()
        assert current(None) is stream
    assert seen == [None] and current(None) is None


def test_a_kernel_launched_by_hand():
    device = kg.Device("cpu")
    x, y = kg.tensor([1.0, 2.0, 3.0]), kg.zeros((3,))
    arguments = np.array([x.address, y.address, 3], np.uint64).tobytes()
    device.launch(device.kernel("kg_sqr_f32"), arguments, grid=[1], block=[256])
    device.synchronize()
    assert y.tolist() == [1, 4, 9]
    package = device.package
    module = device.load(package.code(device.target, package.kernels[package.find_kernel("kg_sqr_f32")].module))
    device.launch(module.function("kg_sqr_f32"), arguments, grid=(1, 1, 1))
    with pytest.raises(kg.NotFound):
        module.function("nope")
    with pytest.raises(ValueError, match="grid must have one to three dims"):
        device.launch(device.kernel("kg_sqr_f32"), arguments, grid=[])
    with pytest.raises(kg.DeviceError):
        device.load(b"no code", "mine")
