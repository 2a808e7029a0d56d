// Work shared between threads: each piece is done once, and exceptions are passed on.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace kernelgen::tool {
namespace {

TEST(InParallel, EachPieceOnce) {
  for (const unsigned threads : {0u, 1u, 3u, 64u})
    for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      std::atomic<unsigned> makers{0};
      in_parallel(threads, count, [&] {
        ++makers;
        return [&](std::size_t i) { ++calls[i]; };
      });
      for (const std::atomic<int>& number : calls) EXPECT_EQ(number, 1);
      EXPECT_LE(makers, std::max(1u, threads));
    }
}

TEST(InParallel, TheFirstPiecesFirst) {
  std::vector<std::size_t> order;
  in_parallel(1, 5, [&] { return [&](std::size_t i) { order.push_back(i); }; });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(InParallel, WhatIsThrownComesOutAndEndsIt) {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<std::size_t> calls{0};
    const auto fail = [&] {
      in_parallel(threads, 100000, [&] {
        return [&](std::size_t i) {
          ++calls;
          if (i == 7) throw std::runtime_error("seven");
          // Else the others could be through before the one that throws runs again.
          if (i > 1000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
      });
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_LT(calls, 100000u);
  }
  EXPECT_THROW(in_parallel(2, 3, []() -> void (*)(std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace kernelgen::tool
