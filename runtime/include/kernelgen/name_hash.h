#ifndef KERNELGEN_NAME_HASH_H
#define KERNELGEN_NAME_HASH_H
/* Perfect hash from kernel names to ids, in C because the generated header, the package and the tool share
 * it. Scheme: hash and displace (Belazzougui, Botelho, Dietzfelbinger, "Hash, displace, and compress", ESA
 * 2009). */
#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits (constants from http://www.isthe.com/chongo/tech/comp/fnv/). */
static inline uint64_t kernelgen_name_hash(const char* name, size_t length) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
  return h;
}

static inline uint32_t kernelgen_name_bucket(uint64_t hash, uint32_t buckets) {
  return (uint32_t)(((hash >> 32) * buckets) >> 32);
}

/* Slot of a name whose bucket has `displacement`; the finalizer of MurmurHash3. */
static inline uint32_t kernelgen_name_slot(uint64_t hash, uint32_t displacement, uint32_t slots) {
  uint64_t h = hash + displacement * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  return (uint32_t)(((h & 0xffffffffu) * slots) >> 32);
}

#endif
