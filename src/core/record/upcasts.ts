// How payloads of earlier versions are read: each function turns a payload of one version into that of the next.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

/** Turns a payload of one version into that of the next. */
export type Upcast = (payload: JsonValue) => JsonValue;

/** By type, from the version they were written in. */
export const UPCASTS: Readonly<Record<string, Readonly<Record<number, Upcast>>>> = {
  'conversation:started': {
    1: (payload) => ({
      ...object(payload),
      limits: { ...object(object(payload)['limits']), turnTimeoutMinutes: 30 },
      limitSources: {},
      // Before version 2 every mention woke somebody.
      policies: { acknowledgements: 'wake' },
      forkOf: null,
    }),
  },
  'conversation:limited': { 1: (payload) => ({ ...object(payload), isRepeat: false }) },
  // Before version 2 a member that was to know what had been said was told nothing of it.
  'prompt:given': { 1: (payload) => ({ ...object(payload), posts: [] }) },
  'step:recorded': {
    1: (payload) => ({
      ...object(payload),
      id: `step/${JSON.stringify(object(payload)['sequence'] ?? null)}`,
      parent: null,
      isOpen: false,
    }),
  },
};

/** What is no object becomes an empty one: the schema of the newer version then says what is missing. */
function object(payload: JsonValue | undefined): JsonObject {
  return isJsonObject(payload) ? payload : {};
}
