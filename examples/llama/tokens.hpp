#pragma once
#include <cstring>
#include <span>

#include "kernelgen/tensor.hpp"
#include "tokenizer.hpp"

/// u32 [n] on the device.
inline kernelgen::Tensor upload_tokens(const kernelgen::Device& device, std::span<const Token> tokens) {
  return kernelgen::Tensor::from_host(device, std::as_bytes(tokens),
                                      {static_cast<std::int64_t>(tokens.size())}, kernelgen::DType::u32);
}

/// The number in a tensor of one, after everything before it is done.
inline Token read_token(const kernelgen::Tensor& tensor) {
  Token token;
  std::memcpy(&token, tensor.to_host().data(), sizeof token);
  return token;
}
