// Begins every property of a test file with the seed of `npm run fuzz`; one that names a seed itself keeps it.
import fc from 'fast-check';
import { fuzzSeed } from './fuzz.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fuzzSeed(0) });
