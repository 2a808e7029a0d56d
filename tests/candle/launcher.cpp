#include "launcher.hpp"

#include <cstdlib>

namespace kernelgen::candle {

const Package& package() {
  static const Package opened = [] {
    const char* file = std::getenv("KERNELGEN_CANDLE_PACKAGE");
    return Package::open(file != nullptr ? file : KERNELGEN_CANDLE_PACKAGE);
  }();
  return opened;
}

const Device& device() {
  static const Device opened = [] {
    const char* name = std::getenv("KERNELGEN_DEVICE");
    return Device::open(name != nullptr ? name : "cpu", package());
  }();
  return opened;
}

Block& Block::add(const void* value, std::size_t size) {
  bytes_.resize((bytes_.size() + size - 1) / size * size);
  const auto* first = static_cast<const std::byte*>(value);
  bytes_.insert(bytes_.end(), first, first + size);
  return *this;
}

std::string Cut::text() const {
  const auto times = [](std::uint32_t n) { return " x " + std::to_string(n); };
  return "grid " + std::to_string(grid) + (grid_y * grid_z == 1 ? "" : times(grid_y) + times(grid_z)) +
         ", block " + std::to_string(block) + times(block_y);
}

std::vector<Cut> element_cuts(std::int64_t n) {
  if (device().kind() == DeviceKind::cpu) return {{1, 1}, {7, 1}};
  std::vector<Cut> cuts;
  for (const std::uint32_t block : {32u, 64u, 256u, 1024u})
    cuts.push_back({static_cast<std::uint32_t>((n + block - 1) / block), block});
  cuts.push_back({3, 96});
  return cuts;
}

std::vector<Cut> row_cuts(std::int64_t rows) {
  const auto grid = static_cast<std::uint32_t>(rows);
  if (device().kind() == DeviceKind::cpu) return {{grid, 1}};
  std::vector<Cut> cuts;
  for (const std::uint32_t block : {1u, 32u, 64u, 96u, 256u, 1024u}) cuts.push_back({grid, block});
  return cuts;
}

void launch(const std::string& kernel, const Cut& cut, const Block& arguments) {
  const auto id = package().find_kernel(kernel);
  if (!id) throw std::logic_error("the package has no kernel " + kernel);
  LaunchShape shape;
  shape.grid[0] = cut.grid;
  shape.grid[1] = cut.grid_y;
  shape.grid[2] = cut.grid_z;
  shape.block[0] = cut.block;
  shape.block[1] = cut.block_y;
  if (device().kind() == DeviceKind::cuda) shape.shared_bytes = cut.shared_bytes;
  device().launch(device().kernel(*id), shape, arguments.bytes());
}

Tensor upload(const Elements& elements) {
  return Tensor::from_host(device(), elements.bytes(), {elements.count()}, elements.dtype());
}

Elements download(const Tensor& tensor) { return {tensor.dtype(), tensor.to_host()}; }

Tensor upload_info(const std::vector<std::int64_t>& numbers) {
  return Tensor::from_host(device(), std::as_bytes(std::span(numbers)),
                           {static_cast<std::int64_t>(numbers.size())}, DType::i64);
}

std::string suffix(DType dtype, const char* f8) {
  return dtype == DType::f8e4m3 ? f8 : std::string(name_of(dtype));
}

}  // namespace kernelgen::candle
