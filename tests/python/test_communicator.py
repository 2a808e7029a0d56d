"""Collectives of CPU devices."""

import os
import subprocess
import sys

PROGRAM = """
import threading
import pytest
import kernelgen as kg

devices = [kg.Device("cpu"), kg.Device("cpu.1")]
id = kg.Communicator.make_id(devices[0])
found = {}

def work(rank):
    one = kg.Communicator(devices[rank], 2, rank, id)
    x = kg.tensor([1.0 + rank, 2.0], device=devices[rank])
    out = kg.empty((2,), device=devices[rank])
    found[rank] = [one.all_reduce(x).tolist(), one.all_reduce(x, "max").tolist(), one.reduce_scatter(x, "mean").tolist(),
                   one.all_gather(x).tolist(), one.broadcast(x, 1, out=out) is out and out.tolist()]
    with kg.group():
        one.send(x, 1 - rank)
        one.receive(out, 1 - rank)
    found[rank].append(out.tolist())
    with pytest.raises(kg.InvalidArgument, match="root is 2; there are ranks 0 to 1"):
        one.broadcast(x, 2)
    with pytest.raises(ValueError, match="reduction is 'median'; there are sum, product"):
        one.all_reduce(x, "median")

threads = [threading.Thread(target=work, args=(rank,)) for rank in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found[0] == [[3, 4], [2, 2], [1.5], [1, 2, 2, 2], [2, 2], [2, 2]], found[0]
assert found[1] == [[3, 4], [2, 2], [2], [1, 2, 2, 2], [2, 2], [1, 2]], found[1]

id = kg.Communicator.make_id(devices[0])
both = [kg.Communicator(device, 2, rank, id) for rank, device in enumerate(devices)]
with kg.group():
    sums = [one.all_reduce(kg.tensor([1.0], device=device)) for one, device in zip(both, devices)]
assert [each.tolist() for each in sums] == [[2], [2]]
"""


def test_ranks_of_threads_and_of_one():
    subprocess.run([sys.executable, "-B", "-c", PROGRAM], check=True, timeout=120,
                   env={**os.environ, "KERNELGEN_CPU_DEVICES": "2"})
