"""Work that is captured once and launched many times."""

import pytest

import kernelgen as kg


@pytest.fixture
def device():
    return kg.Device("cpu:2")


def test_a_launch_does_the_work_on_what_is_there_then(device):
    x = kg.tensor([1.0, 2.0], device=device)
    with device.capture() as graph:
        y = kg.add(kg.mul(x, x), x)
    assert graph.nodes == 2
    assert graph.memory == 1024
    graph.launch()
    assert y.tolist() == [2, 6]
    kg.const_set(x, 3)
    graph.launch()
    assert y.tolist() == [12, 12]


def test_in_a_stream(device):
    stream, x = device.new_stream(), kg.tensor([1.0, 2.0], device=device)
    with device.capture(stream) as graph, stream:
        y = kg.neg(x)
    graph.launch(stream)
    assert y.tolist() == [-1, -2]


def test_an_update(device):
    a, b = kg.tensor([1.0], device=device), kg.tensor([5.0], device=device)
    with device.capture() as graph:
        kg.neg(a, out=a)
    with graph.update() as update:
        assert update.in_place is None
        kg.neg(b, out=b)
    assert update.in_place is True
    graph.launch()
    assert (a.tolist(), b.tolist()) == ([1], [-5])


def test_what_cannot_be_part_of_a_graph(device):
    x = kg.tensor([1.0], device=device)
    with pytest.raises(kg.InvalidArgument, match="to_host: .* this thread captures a graph"):
        with device.capture():
            x.tolist()
    with pytest.raises(RuntimeError, match="mine"):
        with device.capture():
            raise RuntimeError("mine")
    with device.capture() as graph:
        kg.neg(x, out=x)
    with pytest.raises(kg.InvalidArgument, match="waiting for the device"):
        with graph.update():
            device.synchronize()
    graph.launch()
    assert x.tolist() == [-1]


def test_memory_is_counted_and_limited(device):
    before = device.memory_use
    x = kg.zeros((1 << 20,), "u8", device=device)
    use = device.memory_use
    assert use.in_use - before.in_use == 1 << 20
    assert use.peak >= use.in_use and use.total >= use.free > 0
    device.set_memory_limit(use.in_use)
    with pytest.raises(kg.OutOfMemory, match="its limit is set to"):
        kg.zeros((1 << 20,), "u8", device=device)
    device.set_memory_limit(before.limit)
    del x
    device.trim_memory()
    device.reset_peak_memory()
    assert device.memory_use.cached == 0
    assert device.memory_use.peak == device.memory_use.in_use


def test_streams_of_priorities_and_threads(device):
    high, own, called = device.new_stream("high"), device.thread_stream(), []
    device.call(lambda: called.append(1), high)
    device.use_thread_streams()
    device.call(lambda: called.append(2))
    own.synchronize()
    device.use_thread_streams(False)
    assert called == [1, 2]
    with pytest.raises(ValueError, match="priority is 'highest'; there are low, normal, high"):
        device.new_stream("highest")
    with pytest.raises(kg.InvalidArgument, match="captures a graph"), device.capture():
        device.call(lambda: None)


def test_streams_are_followed_unless_it_is_turned_off(device):
    stream, x = device.new_stream(), kg.zeros((4,), device=device)
    assert device.follows_streams
    x.use(stream)
    x.use(writes=False)
    with stream:
        y = x + 1
    assert (x + y).tolist() == [1, 1, 1, 1]
    device.follows_streams = False
    assert not device.follows_streams
    device.follows_streams = True
