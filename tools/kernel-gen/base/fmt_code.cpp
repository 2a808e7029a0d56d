// What fmt keeps in its shared library, as code of the program: that library is called something else on each release of
// Debian, and kernel-gen is to start on more than the one it was built on. What is missing here is taken from there.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdio>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template auto locale_ref::get<std::locale>() const -> std::locale;

}  // namespace detail
FMT_END_NAMESPACE

namespace {

// Inline functions are compiled where somebody takes their address.
[[gnu::used]] void (*const print)(fmt::string_view, fmt::format_args) = &fmt::vprint;
[[gnu::used]] void (*const print_to)(std::FILE*, fmt::string_view, fmt::format_args) = &fmt::vprint;
[[gnu::used]] bool (*const is_printable)(std::uint32_t) = &fmt::detail::is_printable;

}  // namespace
