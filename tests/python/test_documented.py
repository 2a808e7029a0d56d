"""Every public name says what it is."""

import dataclasses
import inspect
import pathlib
import re

import kernelgen as kg

PACKAGE = pathlib.Path(kg.__file__).parent


def public(owner):
    return [(name, value) for name, value in vars(owner).items() if not name.startswith("_")]


def test_every_public_name_is_documented():
    silent = []
    for name in kg.__all__:
        value = getattr(kg, name)
        if isinstance(value, kg.DType):
            continue
        if not inspect.getdoc(value):
            silent.append(name)
        if inspect.isclass(value) and value is not kg.DType:
            fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
            # Properties whose name and type say it all may stay silent.
            silent += [f"{name}.{member}" for member, of in public(value)
                       if member not in fields and inspect.isroutine(of) and not inspect.getdoc(of)]
    assert silent == []


def test_every_parameter_of_an_operation_is_explained_or_plain():
    for name in kg.operations.__all__:
        text = inspect.getdoc(getattr(kg, name))
        assert "NULL" not in text and not re.search(r"kernelgen_[a-z]", text), name


def test_every_function_of_c_is_reached():
    sources = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py") if path.name != "_c.py")
    reached = set(re.findall(r"\b_?lib\.(kernelgen_\w+)", sources))
    # One handle serves; every launch goes by function; a file is what a model is in.
    spared = {"kernelgen_tensor_retain", "kernelgen_device_retain", "kernelgen_launch_kernel", "kernelgen_gguf_from_memory",
              "kernelgen_gguf_bytes", "kernelgen_package_digits", "kernelgen_package_blobs", "kernelgen_status_name",
              "kernelgen_dtype_name"}
    assert set(kg._c.FUNCTIONS) - reached - spared == set()
