// Damaged shared objects are refused before the loader, which trusts its input, sees them.
#include "driver/shared_object.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "driver/shared_object_check.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using Bytes = std::vector<std::byte>;

/// Kernels and nothing else: loading them runs no code.
Bytes bare_kernels() { return test::read_file(KERNELGEN_BARE_KERNELS); }

template <class T>
T read_at(const Bytes& code, std::size_t offset) {
  T value;
  std::memcpy(&value, code.data() + offset, sizeof value);
  return value;
}

template <class T>
void write_at(Bytes& code, std::size_t offset, const T& value) {
  std::memcpy(code.data() + offset, &value, sizeof value);
}

/// Where the n-th program header of that type is in the file.
std::size_t header_of(const Bytes& code, Elf64_Word type, int n = 0) {
  const auto header = read_at<Elf64_Ehdr>(code, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t offset = header.e_phoff + i * sizeof(Elf64_Phdr);
    if (read_at<Elf64_Phdr>(code, offset).p_type == type && n-- == 0) return offset;
  }
  ADD_FAILURE() << "no segment of type " << type;
  return 0;
}

/// Where the entry of that tag is in the file.
std::size_t entry_of(const Bytes& code, Elf64_Sxword tag) {
  const auto table = read_at<Elf64_Phdr>(code, header_of(code, PT_DYNAMIC));
  for (std::size_t at = table.p_offset; at < table.p_offset + table.p_filesz; at += sizeof(Elf64_Dyn))
    if (read_at<Elf64_Dyn>(code, at).d_tag == tag) return at;
  ADD_FAILURE() << "no entry of tag " << tag;
  return 0;
}

/// Hides /proc from this process, which has one thread. False where the system does not permit that.
bool hide_proc() {
  const bool is_apart = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  return is_apart && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0 && ::access("/proc/self", F_OK) != 0;
}

/// How a child that loads and unloads the object ends: 0 and 1 for loaded and refused, else what killed it.
int load_in_child(const Bytes& code) {
  const pid_t child = ::fork();
  if (child == 0) {
    int result = 0;
    try {
      SharedObject object(code, "damaged");
      object.symbol("kg_visit");
    } catch (const Error&) {
      result = 1;
    }
    ::_exit(result);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(SharedObject, HasNoDefectWhereItLoads) {
  for (const char* file : {KERNELGEN_BARE_KERNELS, KERNELGEN_CPU_KERNELS}) {
    const Bytes code = test::read_file(file);
    EXPECT_EQ(shared_object_defect(code), "") << file;
    EXPECT_NE(SharedObject(code, "whole").symbol("kg_visit"), nullptr) << file;
  }
}

TEST(SharedObject, LoadsWithoutProc) {
  constexpr int not_permitted = 77;
  const Bytes code = bare_kernels();
  std::string folder = std::filesystem::temp_directory_path() / "kernelgen-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!hide_proc()) ::_exit(not_permitted);
    ::setenv("TMPDIR", folder.c_str(), 1);
    try {
      // Two at once, and one after those were closed: each is loaded from its own file.
      const auto first = std::make_unique<SharedObject>(code, "first"),
                 second = std::make_unique<SharedObject>(code, "second");
      void* const visit = first->symbol("kg_visit");
      ::_exit(visit == nullptr || visit == second->symbol("kg_visit") ? 2 : 0);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == not_permitted) {
    std::filesystem::remove(folder);
    GTEST_SKIP() << "namespaces are not permitted here";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "files were left in " << folder;
  std::filesystem::remove_all(folder);
}

/// The loader used to get the truncated file and crashed reading past its end.
TEST(SharedObject, IsRefusedWhereItIsCutOff) {
  const Bytes code = bare_kernels();
  for (std::size_t size = 0; size < code.size(); size += 64) {
    const Bytes part(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(load_in_child(part), 1) << size << " of " << code.size() << " bytes";
    if (size >= 4) {
      EXPECT_NE(shared_object_defect(part), "") << size << " bytes";
    }
  }
  test::expect_error(Code::device, {"module half", "truncated"},
                     [&] { SharedObject(std::span(code).first(code.size() / 2), "half"); });
}

TEST(SharedObject, IsRefusedForTablesThatLieElsewhere) {
  const Bytes code = bare_kernels();
  const auto defect_with = [&](auto&& change) {
    Bytes changed = code;
    change(changed);
    return shared_object_defect(changed);
  };
  const auto with_entry = [&](Elf64_Sxword tag, Elf64_Xword value) {
    return defect_with([&](Bytes& bytes) {
      const std::size_t at = entry_of(bytes, tag);
      auto entry = read_at<Elf64_Dyn>(bytes, at);
      entry.d_un.d_val = value;
      write_at(bytes, at, entry);
    });
  };
  EXPECT_NE(with_entry(DT_STRTAB, 1u << 30).find("string table"), std::string::npos);
  EXPECT_NE(with_entry(DT_STRSZ, ~std::uint64_t{0}).find("string table"), std::string::npos);
  EXPECT_NE(with_entry(DT_SYMTAB, 1u << 30).find("symbol"), std::string::npos);
  EXPECT_NE(with_entry(DT_SYMENT, 25).find("another size"), std::string::npos);
  EXPECT_NE(with_entry(DT_GNU_HASH, ~std::uint64_t{7}).find("index"), std::string::npos);
  const auto with_segment = [&](Elf64_Word type, auto&& change) {
    return defect_with([&](Bytes& bytes) {
      const std::size_t at = header_of(bytes, type);
      auto segment = read_at<Elf64_Phdr>(bytes, at);
      change(segment);
      write_at(bytes, at, segment);
    });
  };
  EXPECT_NE(with_segment(PT_LOAD, [](Elf64_Phdr& s) { s.p_filesz = 1 << 30; }), "");
  EXPECT_NE(with_segment(PT_LOAD, [](Elf64_Phdr& s) { s.p_memsz = ~std::uint64_t{0}; }), "");
  EXPECT_NE(with_segment(PT_LOAD, [](Elf64_Phdr& s) { s.p_offset = ~std::uint64_t{4095}; }), "");
  EXPECT_NE(with_segment(PT_DYNAMIC, [](Elf64_Phdr& s) { s.p_vaddr = 1 << 30; }), "");
  EXPECT_NE(with_segment(PT_DYNAMIC, [](Elf64_Phdr& s) { s.p_type = PT_NULL; }), "");
  EXPECT_NE(defect_with([](Bytes& bytes) { bytes[EI_CLASS] = std::byte{ELFCLASS32}; }), "");
  EXPECT_NE(defect_with([](Bytes& bytes) {
              auto header = read_at<Elf64_Ehdr>(bytes, 0);
              header.e_shoff = ~std::uint64_t{0} - 64;
              write_at(bytes, 0, header);
            }),
            "");
}

/// Any one byte of the headers and the dynamic table may be any other: the object is refused or harmless.
TEST(SharedObject, ADamagedHeaderKillsNobody) {
  const Bytes code = bare_kernels();
  const auto header = read_at<Elf64_Ehdr>(code, 0);
  const auto table = read_at<Elf64_Phdr>(code, header_of(code, PT_DYNAMIC));
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr); ++at)
    places.push_back(at);
  for (std::size_t at = 0; at < table.p_filesz; ++at) places.push_back(table.p_offset + at);
  std::mt19937 random(20261122);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Bytes damaged = code;
    const std::size_t place = places[random() % places.size()];
    const auto value = static_cast<std::byte>(random() % 256);
    damaged[place] = value;
    const int result = load_in_child(damaged);
    ASSERT_GE(result, 0) << "signal " << -result << " of byte " << place << " set to "
                         << std::to_integer<int>(value) << "; found: " << shared_object_defect(damaged);
    refused += result;
  }
  EXPECT_GT(refused, 120);
}

/// Each tag of the dynamic table lost, and each value another: the object is refused or harmless, when it is loaded, looked
/// into and unloaded.
TEST(SharedObject, ADamagedDynamicTableKillsNobody) {
  constexpr std::int64_t odd[] = {0, 1, 7, -1}, steps[] = {8, -8};
  for (const char* file : {KERNELGEN_CPU_KERNELS, KERNELGEN_LINKED_KERNELS}) {
    const Bytes code = test::read_file(file);
    ASSERT_EQ(load_in_child(code), 0) << file;
    const auto table = read_at<Elf64_Phdr>(code, header_of(code, PT_DYNAMIC));
    const std::size_t end = table.p_offset + table.p_filesz;
    int refused = 0;
    const auto try_one = [&](const Bytes& mutant, Elf64_Sxword tag, const std::string& change) {
      const int result = load_in_child(mutant);
      EXPECT_GE(result, 0) << file << ": signal " << -result << " of tag 0x" << std::hex << tag << " "
                           << change;
      refused += result;
    };
    for (std::size_t at = table.p_offset; read_at<Elf64_Dyn>(code, at).d_tag != DT_NULL;
         at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(code, at);
      Bytes lost = code;
      std::copy(code.begin() + static_cast<std::ptrdiff_t>(at + sizeof entry),
                code.begin() + static_cast<std::ptrdiff_t>(end),
                lost.begin() + static_cast<std::ptrdiff_t>(at));
      try_one(lost, entry.d_tag, "lost");
      const auto with = [&](std::uint64_t value) {
        Bytes mutant = code;
        auto changed = entry;
        changed.d_un.d_val = value;
        write_at(mutant, at, changed);
        try_one(mutant, entry.d_tag, "set to " + std::to_string(static_cast<std::int64_t>(value)));
      };
      for (const std::int64_t value : odd) with(static_cast<std::uint64_t>(value));
      for (const std::int64_t step : steps) with(entry.d_un.d_val + static_cast<std::uint64_t>(step));
    }
    EXPECT_GT(refused, 40) << file;
  }
}

/// What ended processes that loaded it.
TEST(SharedObject, IsRefusedForTagsWithoutTheirPartners) {
  const Bytes code = test::read_file(KERNELGEN_LINKED_KERNELS);
  const auto defect_with = [&](Elf64_Sxword tag, const Elf64_Dyn& entry) {
    Bytes changed = code;
    write_at(changed, entry_of(changed, tag), entry);
    return shared_object_defect(changed);
  };
  const auto without = [&](Elf64_Sxword tag) { return defect_with(tag, {DT_DEBUG, {0}}); };
  const auto with = [&](Elf64_Sxword tag, Elf64_Xword value) { return defect_with(tag, {tag, {value}}); };
  for (const Elf64_Sxword tag : {DT_RELA, DT_RELASZ, DT_RELAENT, DT_JMPREL, DT_PLTRELSZ, DT_PLTREL})
    EXPECT_NE(without(tag).find("lacks the address, the size or the kind"), std::string::npos) << tag;
  EXPECT_NE(without(DT_VERSYM).find("versions"), std::string::npos);
  EXPECT_NE(with(DT_INIT_ARRAY, 1).find("functions to run"), std::string::npos);
  EXPECT_NE(with(DT_RELACOUNT, 7), "");
  EXPECT_NE(with(DT_RELACOUNT, ~std::uint64_t{0}).find("more than there are"), std::string::npos);
  EXPECT_NE(with(DT_RELASZ, 25).find("not a list of entries"), std::string::npos);
}

}  // namespace
}  // namespace kernelgen
