// Public entry `teamroom/runtime/storage/local`: storage of runs on this machine.
export { createLocalRunStorage, type LocalRunStorageOptions } from '../../storage/sqlite/storage.js';
