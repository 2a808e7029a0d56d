// Opening packages: the contents of a valid one, and the refusal of damaged ones.
#include "kernelgen/package.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>

#include "kernelgen/dtype.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::reseal;

std::vector<std::byte> good_package() {
  const test::SampleTarget targets[] = {{"cpu-x86-64-v3", 0, 1, test::bytes_of("code of the cpu")},
                                        {"gfx90a", 1, 64, test::bytes_of("code of gfx90a")}};
  return test::sample_package(targets);
}

/// Changes a record and mends the checksum.
template <class Record, class Change>
std::vector<std::byte> with_record(const kernelgen_table kernelgen_package_header::* table, std::size_t index,
                                   const Change& change,
                                   const std::vector<std::byte>& package = good_package()) {
  return test::with_changed_tables(package, [&](std::byte* tables, const kernelgen_package_header& header) {
    std::byte* const at = tables + (header.*table).offset + index * sizeof(Record);
    Record record;
    std::memcpy(&record, at, sizeof record);
    change(record);
    std::memcpy(at, &record, sizeof record);
  });
}

void expect_bad(const std::vector<std::byte>& bytes, std::string_view part) {
  expect_error(Code::bad_package, {part, "kernel-gen build"}, [&] { Package::from_memory(bytes); });
}

/// Follows everything a package offers.
std::size_t touch_everything(const Package& package) {
  package.check_blobs();
  std::size_t sum = package.provenance().size();
  for (std::uint32_t k = 0; k < package.kernels().size(); ++k) {
    const std::string_view name = package.text(package.kernels()[k].name);
    EXPECT_EQ(package.find_kernel(name), k);
    for (const auto& argument : package.arguments(k))
      sum += package.text(argument.name).size() + package.text(argument.type).size();
  }
  for (std::uint32_t t = 0; t < package.targets().size(); ++t) {
    EXPECT_EQ(package.find_target(package.text(package.targets()[t].name)), t);
    for (std::uint32_t m = 0; m < package.modules().size(); ++m)
      for (const std::byte b : package.code(t, m)) sum += static_cast<std::size_t>(b);
    for (std::uint32_t k = 0; k < package.kernels().size(); ++k) sum += package.resources(t, k).vgprs;
  }
  for (const auto& module : package.modules()) sum += package.text(module.name).size();
  for (const auto& operation : package.operations()) {
    EXPECT_EQ(package.find_operation(package.text(operation.name)), &operation);
    for (const auto& operand : package.operands(operation)) sum += package.text(operand.name).size();
    for (const auto& variable : package.variables(operation)) {
      sum += package.text(variable.name).size();
      const auto digits = package.digits().subspan(variable.first_digit, KERNELGEN_ELEMENT_CODES);
      for (const std::uint8_t digit : digits) sum += digit;
    }
    for (const std::uint32_t form : package.forms(operation)) sum += package.text(form).size();
    for (const std::uint32_t variant : package.variants(operation)) sum += variant;
  }
  return sum;
}

/// Opens what may be damaged in a way that nothing shows (the checksum does not cover the header, and a
/// letter of a name may be another): it is refused as a bad package, or everything in it can be followed.
bool open_if_good(const std::vector<std::byte>& bytes) {
  try {
    touch_everything(Package::from_memory(bytes));
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::bad_package) << error.what();
    return false;
  }
}

TEST(Package, GivesWhatWasPutIn) {
  const std::vector<std::byte> bytes = good_package();
  const Package package = Package::from_memory(bytes);
  touch_everything(package);
  EXPECT_EQ(package.bytes().data(), bytes.data());
  EXPECT_EQ(package.provenance(), R"({"tool":"package_builder"})");
  ASSERT_EQ(package.kernels().size(), 4u);
  EXPECT_EQ(package.find_kernel("kg_scale_f32"), 0u);
  EXPECT_EQ(package.kernels()[0].kernarg_bytes, 28u);
  ASSERT_EQ(package.arguments(0).size(), 4u);
  EXPECT_EQ(package.text(package.arguments(0)[3].name), "factor");
  EXPECT_EQ(package.arguments(0)[3].offset, 24u);
  const auto code = package.code(1, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(code.data()), code.size()), "code of gfx90a");
  EXPECT_EQ(package.code_size(1, 0), code.size());
  EXPECT_TRUE(package.code(0, 1).empty());
  EXPECT_EQ(package.code_size(0, 1), 0u);
  const auto* operation = package.find_operation("scale");
  ASSERT_NE(operation, nullptr);
  EXPECT_EQ(package.variants(*operation)[0], 0u);
  ASSERT_EQ(package.variables(*operation).size(), 1u);
  const auto& variable = package.variables(*operation)[0];
  EXPECT_EQ(package.text(variable.name), "T");
  EXPECT_EQ(variable.radix, 1u);
  EXPECT_EQ(package.digits()[variable.first_digit + 7], 0);
  EXPECT_EQ(package.digits()[variable.first_digit + 8], KERNELGEN_NO_DIGIT);
}

TEST(Package, IsNoPipe) {
  const test::TemporaryFolder folder("pipe");
  const std::filesystem::path pipe = folder.path() / "x.kgpkg";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto opened = std::async(std::launch::async, [&] {
    expect_error(Code::io, {"cannot read " + pipe.string() + ": it is a pipe, not a file"},
                 [&] { Package::open(pipe); });
  });
  const bool is_refused = opened.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  EXPECT_TRUE(is_refused);
  // One that waits gets its other end.
  if (!is_refused) std::ofstream(pipe) << "end";
}

TEST(Package, StaysAsItWasCheckedWhateverBecomesOfItsFile) {
  const std::vector<std::byte> bytes = good_package();
  const test::TemporaryFile file("cut.kgpkg", bytes);
  const Package package = Package::open(file.path());
  const std::size_t sum = touch_everything(package);
  std::ofstream(file.path(), std::ios::binary | std::ios::in) << std::string(bytes.size(), 'x');
  EXPECT_EQ(touch_everything(package), sum);
  std::filesystem::resize_file(file.path(), 0);
  EXPECT_EQ(touch_everything(package), sum);
}

TEST(Package, OfAFileThatIsNoneReadsOnlyItsHeader) {
  const test::TemporaryFile file("huge.img", {});
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 42);  // a hole
  expect_error(Code::bad_package, {"huge.img: this is not a kernel package"},
               [&] { Package::open(file.path()); });
}

TEST(Package, CodeOutlivesThePackage) {
  const std::vector<std::byte> bytes = good_package();
  const test::TemporaryFile file("outlived.kgpkg", bytes);
  const PackageCode code = Package::open(file.path()).code(1, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(code.data()), code.size()), "code of gfx90a");
}

TEST(Package, FindsNothingForOtherNames) {
  const std::vector<std::byte> bytes = good_package();
  const Package package = Package::from_memory(bytes);
  for (const char* name : {"", "kg_scale_f3", "kg_scale_f322", "scale", "\xff"}) {
    EXPECT_EQ(package.find_kernel(name), std::nullopt) << name;
    EXPECT_EQ(package.find_target(name), std::nullopt) << name;
  }
  EXPECT_EQ(package.find_operation("scal"), nullptr);
  EXPECT_EQ(package.find_operation("scale2"), nullptr);
}

TEST(Package, RefusesIdsItDoesNotHave) {
  const std::vector<std::byte> bytes = good_package();
  const Package package = Package::from_memory(bytes);
  expect_error(Code::invalid_argument, {"kernel 4", "has 4"}, [&] { package.arguments(4); });
  expect_error(Code::invalid_argument, {"target 2"}, [&] { package.code(2, 0); });
  expect_error(Code::invalid_argument, {"module 2"}, [&] { package.code(0, 2); });
  expect_error(Code::invalid_argument, {"string offset"}, [&] { package.text(0xffffffffu); });
}

TEST(Package, AnEmptyOneIsGood) {
  const std::vector<std::byte> bytes = test::PackageBuilder().finish();
  const Package package = Package::from_memory(bytes);
  touch_everything(package);
  EXPECT_EQ(package.find_kernel("kg_scale_f32"), std::nullopt);
}

TEST(Package, OpensFiles) {
  const std::vector<std::byte> bytes = good_package();
  const test::TemporaryFile file("good.kgpkg", bytes);
  const Package package = Package::open(file.path());
  const Package copy = package;
  EXPECT_EQ(copy, package);
  EXPECT_FALSE(Package::open(file.path()) == package);
  touch_everything(package);
}

TEST(Package, NamesTheFileThatCannotBeRead) {
  expect_error(Code::io, {"/no/such/file.kgpkg", "No such file"},
               [] { Package::open("/no/such/file.kgpkg"); });
  expect_error(Code::io, {"/tmp", "it is a folder"}, [] { Package::open("/tmp"); });
  const test::TemporaryFile empty("empty.kgpkg", {});
  expect_error(Code::bad_package, {empty.path().string(), "0 bytes"}, [&] { Package::open(empty.path()); });
}

TEST(Package, EmbeddedSaysHowToGetOne) {
  ::unsetenv("KERNELGEN_PACKAGE");
  expect_error(Code::not_found, {"kernelgen::kernels", "KERNELGEN_PACKAGE"}, [] { Package::embedded(); });
  ::setenv("KERNELGEN_PACKAGE", "/no/such/file.kgpkg", 1);
  expect_error(Code::io, {"/no/such/file.kgpkg"}, [] { Package::embedded(); });
  const test::TemporaryFile file("embedded.kgpkg", good_package());
  ::setenv("KERNELGEN_PACKAGE", file.path().c_str(), 1);
  EXPECT_EQ(Package::embedded(), Package::embedded());
  EXPECT_EQ(Package::embedded().kernels().size(), 4u);
}

TEST(DamagedPackage, TruncatedAnywhere) {
  const std::vector<std::byte> bytes = good_package();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(Package::from_memory(cut), Error) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  expect_bad(longer, "the header says");
}

TEST(DamagedPackage, TruncatedWithAHeaderThatAgrees) {
  const std::vector<std::byte> bytes = good_package();
  for (std::size_t size = sizeof(kernelgen_package_header); size < bytes.size(); ++size) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const std::uint64_t package_bytes = size;
    std::memcpy(cut.data() + offsetof(kernelgen_package_header, package_bytes), &package_bytes,
                sizeof package_bytes);
    reseal(cut);
    expect_bad(cut, "");
  }
}

TEST(DamagedPackage, EveryHeaderFieldAtItsExtremes) {
  const std::vector<std::byte> good = good_package();
  for (std::size_t at = 0; at < sizeof(kernelgen_package_header); at += 4) {
    for (const std::uint32_t value : {0u, 1u, 4u, 0x7fffffffu, 0x80000000u, 0xfffffff8u, 0xffffffffu}) {
      std::vector<std::byte> bytes = good;
      if (std::memcmp(bytes.data() + at, &value, sizeof value) == 0) continue;
      std::memcpy(bytes.data() + at, &value, sizeof value);
      open_if_good(bytes);
    }
  }
}

TEST(DamagedPackage, FlippedBits) {
  const std::uint32_t seed = std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::byte> good = good_package();
  constexpr int rounds = 10000;
  int opened = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::byte> bytes = good;
    // Tables and strings come first; the padding of blobs is most of the rest and means nothing.
    const std::size_t at = random() % 2048;
    bytes[at] ^= static_cast<std::byte>(1u << (random() % 8));
    if (at >= sizeof(kernelgen_package_header)) expect_bad(bytes, "");
    reseal(bytes);
    if (open_if_good(bytes)) ++opened;
  }
  EXPECT_GT(opened, 0);
  EXPECT_LT(opened, rounds);
}

TEST(DamagedPackage, SaysWhatIsWrong) {
  std::vector<std::byte> bytes = good_package();
  bytes[0] = std::byte{'X'};
  expect_bad(bytes, "this is not a kernel package");
  bytes = good_package();
  bytes.back() ^= std::byte{1};
  expect_bad(bytes, "hashes to");
  bytes = good_package();
  bytes[offsetof(kernelgen_package_header, version)] = std::byte{9};
  expect_bad(bytes, "version 9");

  using Header = kernelgen_package_header;
  using Kernel = kernelgen_kernel_record;
  const auto kernel = [](const auto& change) { return with_record<Kernel>(&Header::kernels, 0, change); };
  expect_bad(kernel([](Kernel& k) { k.name = 1u << 30; }), "string at offset 1073741824");
  expect_bad(kernel([](Kernel& k) { k.module = 1; }), "module 1, whose kernels it is not among");
  expect_bad(kernel([](Kernel& k) { k.module = 7; }), "module 7");
  expect_bad(kernel([](Kernel& k) { k.block = 0; }), "block of 0");
  expect_bad(kernel([](Kernel& k) { k.argument_count = 0xffffffffu; }), "arguments 0 to 4294967295");
  expect_bad(kernel([](Kernel& k) { k.kernarg_bytes = 24; }), "the last one ends at 28");
  expect_bad(kernel([](Kernel& k) { k.name += 1; }), "the name hash");

  using Argument = kernelgen_argument_record;
  const auto argument = [](const auto& change) {
    return with_record<Argument>(&Header::arguments, 1, change);
  };
  expect_bad(argument([](Argument& a) { a.offset = 4; }), "after an argument that ends at 8");
  expect_bad(argument([](Argument& a) { a.size = 4; }), "is_pointer");
  const std::vector<std::byte> wide = with_record<Kernel>(
      &Header::kernels, 0, [](Kernel& first) { first.kernarg_bytes = 4097; },
      with_record<Argument>(&Header::arguments, 3, [](Argument& a) { a.size = 4073; }));
  expect_bad(wide, "4097 bytes of arguments (at most 4096)");

  using Target = kernelgen_target_record;
  expect_bad(with_record<Target>(&Header::targets, 0, [](Target& t) { t.kind = 3; }), "kind 3");
  expect_bad(with_record<Target>(&Header::targets, 1, [](Target& t) { t.wave_size = 48; }), "wave size 48");

  using Module = kernelgen_module_record;
  expect_bad(with_record<Module>(&Header::modules, 1, [](Module& m) { m.first_kernel = 2; }),
             "its first kernel is 2");
  expect_bad(with_record<Module>(&Header::modules, 1, [](Module& m) { m.kernel_count = 9; }),
             "the modules hold 12");

  using Object = kernelgen_object_record;
  expect_bad(with_record<Object>(&Header::objects, 0, [](Object& o) { o.blob = 2; }), "blob 2 of 2");
  expect_bad(with_record<Object>(&Header::objects, 0, [](Object& o) { o.offset = ~0ull; }),
             "at offset 18446744073709");
  using Blob = kernelgen_blob_record;
  expect_bad(with_record<Blob>(&Header::blobs, 0, [](Blob& b) { b.codec = 5; }), "codec 5");
  expect_bad(with_record<Blob>(&Header::blobs, 0, [](Blob& b) { b.offset += 64; }), "blob 0");
  expect_bad(with_record<Blob>(&Header::blobs, 0, [](Blob& b) { b.bytes = b.stored_bytes = ~0ull; }),
             "blob 0");

  using Operation = kernelgen_operation_record;
  const auto operation = [](const auto& change) {
    return with_record<Operation>(&Header::operations, 0, change);
  };
  expect_bad(operation([](Operation& o) { o.variable_count = 0xffffffffu; }), "4294967295 type variables");
  expect_bad(operation([](Operation& o) { o.variable_count = 4; }), "4 type variables (at most 3)");
  expect_bad(operation([](Operation& o) { o.variable_count = 2; }), "2 type variables (at most 3) from 0");
  expect_bad(operation([](Operation& o) { o.first_variable = 1; }), "1 type variables (at most 3) from 1");
  expect_bad(operation([](Operation& o) { o.variable_count = 0; }), "type 0x80000000");
  expect_bad(operation([](Operation& o) { o.variant_count = 3; }), "3 variants");
  expect_bad(operation([](Operation& o) { o.first_variant = ~0ull; }),
             "2 variants from 18446744073709551615");
  expect_bad(operation([](Operation& o) { o.input_count = 0xffffffffu; }), "4294967295 inputs");
  expect_bad(operation([](Operation& o) { o.input_count = 4; }), "4 inputs and 0 scalars (at most 3 and 8)");
  expect_bad(operation([](Operation& o) { o.input_count = 0; }), "has no input");
  expect_bad(operation([](Operation& o) { o.scalar_count = 9; }), "1 inputs and 9 scalars (at most 3 and 8)");
  expect_bad(operation([](Operation& o) { o.scalar_count = 1; }), "3 operands");
  using Operand = kernelgen_operand_record;
  // Neither an unknown dtype nor a raw type is what a tensor can be of.
  for (const std::uint32_t type :
       {static_cast<std::uint32_t>(dtype_count), 39u, 64u, 67u, 68u, KERNELGEN_TYPE_VARIABLE | 1u})
    expect_bad(with_record<Operand>(&Header::operands, 1, [&](Operand& o) { o.type = type; }),
               "operand y: type");
  using Variable = kernelgen_variable_record;
  const auto variable = [](const auto& change) {
    return with_record<Variable>(&Header::variables, 0, change);
  };
  expect_bad(variable([](Variable& v) { v.radix = 0; }), "digit 0 of element code 7");
  expect_bad(variable([](Variable& v) { v.radix = 2; }), "takes 1 element codes, its radix is 2");
  expect_bad(variable([](Variable& v) { v.radix = 0xffffffffu; }), "its radix is 4294967295");
  expect_bad(variable([](Variable& v) { v.first_digit = 1; }), "digits from 1 of a table of 68");
  expect_bad(variable([](Variable& v) { v.first_digit = 0xffffffffu; }), "digits from 4294967295");
  expect_bad(variable([](Variable& v) { v.name = 1u << 30; }), "string at offset 1073741824");
  const auto digit = [](std::size_t code, std::uint8_t number) {
    return with_record<std::uint8_t>(&Header::digits, code, [&](std::uint8_t& d) { d = number; });
  };
  expect_bad(digit(7, 1), "digit 1 of element code 7 is none of 1");
  expect_bad(digit(8, 0), "digit 0 of element code 8 is none of 1 or is taken");
  expect_bad(digit(7, KERNELGEN_NO_DIGIT), "takes 0 element codes, its radix is 1");
  using Digits = std::array<std::uint8_t, KERNELGEN_ELEMENT_CODES>;
  const auto moved = [](Digits& d) { std::swap(d[7], d[40]); };
  expect_bad(with_record<Digits>(&Header::digits, 0, moved), "there is no element code 40");
  expect_bad(with_record<std::uint32_t>(&Header::variants, 0, [](std::uint32_t& v) { v = 4; }),
             "kernel 4 of 4");
  expect_bad(with_record<std::uint32_t>(&Header::slots, 0, [](std::uint32_t& v) { v = 99; }), "id 99");
  expect_bad(with_record<char>(&Header::strings, 0, [](char& c) { c = '\xff'; }), "UTF-8");
}

TEST(DamagedPackage, ChangedBlobIsSeenOnRequest) {
  std::vector<std::byte> bytes = good_package();
  bytes.back() ^= std::byte{1};
  reseal(bytes);
  const Package package = Package::from_memory(bytes, "other.kgpkg");
  expect_error(Code::bad_package, {"other.kgpkg: blob 1: its bytes do not hash to its recorded name"},
               [&] { package.check_blobs(); });
}

TEST(DamagedPackage, UnalignedMemory) {
  const std::vector<std::byte> good = good_package();
  std::vector<std::byte> shifted(good.size() + 4);
  std::copy(good.begin(), good.end(), shifted.begin() + 4);
  expect_error(Code::bad_package, {"multiple of 8"},
               [&] { Package::from_memory(std::span<const std::byte>(shifted).subspan(4)); });
}

}  // namespace
}  // namespace kernelgen
