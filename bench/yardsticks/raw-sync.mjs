// What the disk takes for one durable write of as many bytes.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

/** @returns {number} writes per second */
export function rawSync(path, bytes, count) {
  const file = openSync(path, 'w');
  const content = Buffer.alloc(bytes, 'x');
  const began = performance.now();
  for (let done = 0; done < count; done += 1) {
    writeSync(file, content);
    fdatasyncSync(file);
  }
  const seconds = (performance.now() - began) / 1000;
  closeSync(file);
  return count / seconds;
}
