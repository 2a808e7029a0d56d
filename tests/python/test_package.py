"""Packages and GGUF files, looked into."""

import pathlib
import struct

import pytest

import kernelgen as kg

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "examples/llama/tiny.gguf"


def test_a_package():
    package = kg.Package()
    kernels, operations = package.kernels, {operation.name: operation for operation in package.operations}
    kernel = kernels[package.find_kernel("kg_add_f32")]
    assert kernel.name == "kg_add_f32" and kernel.id == package.find_kernel(kernel.name)
    assert [argument.name for argument in kernel.arguments][:2] == ["a", "b"]
    assert kernel.arguments[0].is_pointer and not kernel.arguments[0].is_written
    assert kernel.id in operations["add"].kernels and operations["add"].inputs == ("a", "b")
    assert operations["elu"].scalars == ("alpha",) and operations["elu"].kind == "map"
    target = package.targets[0]
    assert target.kind == "cpu" and target.name.startswith("cpu-")
    module = next(module for module in package.modules if module.name == kernel.module)
    assert kernel.id in module.kernels
    assert package.code(target.name, module.name)[:4] == b"\x7fELF"
    assert package.resources(target.id, kernel.name).vgprs == 0
    assert package.provenance["tool"]
    package.verify()
    with pytest.raises(kg.NotFound, match="no_such"):
        package.find_kernel("no_such")
    with pytest.raises(kg.InvalidArgument):
        package.arguments(2**31)
    with pytest.raises(KeyError, match="there are"):
        package.code(0, "no_such")


def test_a_package_in_a_file_and_in_memory(tmp_path):
    file = tmp_path / "x.kgpkg"
    data = kg.Package().tobytes()
    file.write_bytes(data)
    for package in (kg.Package(file), kg.Package(str(file)), kg.Package.from_bytes(data)):
        assert len(package.kernels) == len(kg.Package().kernels) and package.nbytes == len(data)
        device = kg.Device("cpu", package)
        assert kg.exp(kg.zeros((2,), device=device)).tolist() == [1, 1]
        assert device.package.nbytes == len(data)
    file.write_bytes(data[:1000])
    with pytest.raises(kg.BadPackage, match="x.kgpkg"):
        kg.Package(file)


def test_several_packages_on_a_device():
    shipped = kg.Package()
    own = kg.Package.from_bytes(shipped.tobytes())
    device = kg.Device("cpu", [own, shipped])
    assert device == kg.Device("cpu", (own, shipped)) and device != kg.Device("cpu", [shipped, own])
    x = kg.tensor([1.0, -2.0], device=device)
    assert kg.neg(x).tolist() == [-1, 2]
    number = device.find_kernel("kg_neg_f32")
    assert number == own.find_kernel("kg_neg_f32")
    y = kg.zeros([2], "f32", device)
    other = device.kernel(len(own.kernels) + number)  # of the second
    device.launch(other, struct.pack("PPQ", x.address, y.address, 2), [1])
    assert y.tolist() == [-1, 2]
    with pytest.raises(kg.NotFound, match="'no_such'"):
        device.kernel("no_such")
    with pytest.raises(kg.InvalidArgument, match="no package is given"):
        kg.Device("cpu", [])


def test_shown():
    package = kg.Package()
    assert f"{len(package.kernels)} kernels" in repr(package)
    assert "<td>softmax</td><td>x</td>" in package._repr_html_()


def test_devices():
    device = kg.Device("cpu")
    assert device == kg.Device("cpu") and device.id == kg.Device("cpu").id and device != kg.Device("cpu:1")
    assert (device.kind, device.location, device.ordinal, device.wave_size) == ("cpu", "cpu", 0, 1)
    assert device.target in [target.name for target in device.package.targets]
    assert device.total_memory >= device.free_memory > 0 and device.supports_bf16 and device.compute_units >= 1
    assert device.name in repr(device) and kg.device_names()[0] == "cpu"
    device.preload()


def test_a_gguf_file():
    model = kg.Gguf(MODEL)
    assert model["general.architecture"] == "llama" and model["llama.block_count"] == 2
    assert isinstance(model["llama.attention.layer_norm_rms_epsilon"], float)
    tokens = model["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    assert set(model) == set(dict(model)) and "no.such" not in model and model.get("no.such") is None
    with pytest.raises(kg.NotFound, match="llama.block_count"):
        model["llama.block_cont"]

    listed = {tensor.name: tensor for tensor in model.tensors}
    embedding = listed["token_embd.weight"]
    assert (embedding.format, embedding.dtype) == ("q8_0", kg.q8_0) and model.find("token_embd.weight") == embedding
    loaded = model.load("token_embd.weight")
    assert loaded.shape == embedding.shape and loaded.nbytes == embedding.nbytes
    file = MODEL.read_bytes()
    assert loaded.tobytes() == file[embedding.offset:embedding.offset + embedding.nbytes]
    del model
    assert kg.dequantize(loaded, "f32").shape == embedding.shape
    with pytest.raises(kg.NotFound, match="token_embd.weight"):
        kg.Gguf(MODEL).load("token_embed.weight")
