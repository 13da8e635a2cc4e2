// `teamroom/runtime/testing`: what tests of graph types and bindings need.
export {
  runGraphTypeConformance,
  type ConformanceReport,
  type GraphTypeConformance,
} from '../core/graph/conformance.js';
export { createMemoryRunStorage, type MemoryRunStorageOptions } from '../storage/memory/storage.js';
export { MemoryDisk } from '../storage/memory/disk.js';
