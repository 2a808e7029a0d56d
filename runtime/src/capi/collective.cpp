#include "kernelgen/collective.hpp"

#include "call.hpp"
#include "ops/group_access.hpp"

using kernelgen::Communicator;
using kernelgen::GroupAccess;
using kernelgen::Reduction;
using namespace kernelgen::capi;

namespace {

static_assert(sizeof(kernelgen_communicator_id) == sizeof(Communicator::Id));
static_assert(KERNELGEN_REDUCE_SUM == static_cast<int>(Reduction::sum));
static_assert(KERNELGEN_REDUCE_MEAN == static_cast<int>(Reduction::mean));

Communicator::Id id_of(const kernelgen_communicator_id& given) {
  Communicator::Id id;
  std::copy(std::begin(given.bytes), std::end(given.bytes), id.begin());
  return id;
}

Reduction reduction_of(kernelgen_reduction reduction) {
  const auto number = static_cast<int>(reduction);
  if (number < KERNELGEN_REDUCE_SUM || number > KERNELGEN_REDUCE_MEAN)
    fail("reduction", "is " + std::to_string(number) + ", which is not a kernelgen_reduction (0 to 4)");
  return static_cast<Reduction>(number);
}

const Communicator& of(const kernelgen_communicator* communicator) {
  return need(communicator, "communicator").communicator;
}

}  // namespace

kernelgen_status kernelgen_communicator_make_id(const kernelgen_device* device,
                                                kernelgen_communicator_id* id) {
  return guarded(__func__, [&] {
    const Communicator::Id made = Communicator::make_id(need(device, "device").device);
    std::copy(made.begin(), made.end(), std::begin(need(id, "id").bytes));
  });
}

kernelgen_status kernelgen_communicator_join(const kernelgen_device* device, int ranks, int rank,
                                             const kernelgen_communicator_id* id,
                                             kernelgen_communicator** communicator) {
  return guarded(__func__, [&] {
    const auto& opened = need(device, "device").device;
    const Communicator::Id told = id_of(need(id, "id"));
    give(communicator, "communicator", [&] { return Communicator(opened, ranks, rank, told); });
  });
}

void kernelgen_communicator_release(kernelgen_communicator* communicator) { delete communicator; }

kernelgen_status kernelgen_all_reduce(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      kernelgen_reduction reduction, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const auto& among = of(communicator);
    const auto& tensor = input(x, "x");
    const Reduction how = reduction_of(reduction);
    run(out, stream, result, [&](const auto& options) { return all_reduce(among, tensor, how, options); });
  });
}

kernelgen_status kernelgen_reduce_scatter(const kernelgen_communicator* communicator,
                                          const kernelgen_tensor* x, kernelgen_reduction reduction,
                                          const kernelgen_tensor* out, const kernelgen_stream* stream,
                                          kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const auto& among = of(communicator);
    const auto& tensor = input(x, "x");
    const Reduction how = reduction_of(reduction);
    run(out, stream, result,
        [&](const auto& options) { return reduce_scatter(among, tensor, how, options); });
  });
}

kernelgen_status kernelgen_all_gather(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const auto& among = of(communicator);
    const auto& tensor = input(x, "x");
    run(out, stream, result, [&](const auto& options) { return all_gather(among, tensor, options); });
  });
}

kernelgen_status kernelgen_broadcast(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                     int root, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const auto& among = of(communicator);
    const auto& tensor = input(x, "x");
    run(out, stream, result,
        [&](const auto& options) { return kernelgen::broadcast(among, tensor, root, options); });
  });
}

kernelgen_status kernelgen_send(const kernelgen_communicator* communicator, const kernelgen_tensor* x, int to,
                                const kernelgen_stream* stream) {
  return guarded(__func__, [&] { kernelgen::send(of(communicator), input(x, "x"), to, stream_of(stream)); });
}

kernelgen_status kernelgen_receive(const kernelgen_communicator* communicator, const kernelgen_tensor* result,
                                   int from, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::receive(of(communicator), input(result, "result"), from, stream_of(stream));
  });
}

kernelgen_status kernelgen_group_begin(void) {
  return guarded(__func__, [] { GroupAccess::begin(); });
}

kernelgen_status kernelgen_group_end(void) {
  return guarded(__func__, [] { GroupAccess::end(); });
}
